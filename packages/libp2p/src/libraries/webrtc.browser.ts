/** What a tab uses in addition: WebRTC, to peers that listen and to other tabs. Bundled as webrtc.ts is. */
import { webRTC as betweenTabs, webRTCDirect as direct } from '@libp2p/webrtc'
import type { DirectOptions, TransportMaker } from './webrtc.js'

export const webRTCDirect = direct as unknown as (options: DirectOptions) => TransportMaker

/** From tab to tab: a relay carries the signalling. */
export const webRTC = betweenTabs as unknown as (options: DirectOptions) => TransportMaker
