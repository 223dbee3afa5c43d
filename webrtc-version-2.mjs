/**
 * A plugin for esbuild that makes @libp2p/webrtc speak version 2 of webrtc-direct (libp2p/specs, pull request 715), and
 * only that: Chromium is removing what version 1 needs. A browser's offer stays as it is; the listener's ICE name
 * carries the browser's ICE password. The build fails when a text to be replaced is not found once.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const prefix = 'libp2p+webrtc+v2/'

/** The bytes behind their length, as the field "message" of libp2p's protobuf (webrtc/README.md of libp2p/specs). */
function framed(data) {
  const varint = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)])
  const field = [0x12, ...varint(data.byteLength)]
  const head = [...varint(field.length + data.byteLength), ...field]
  const bytes = new Uint8Array(head.length + data.byteLength)
  bytes.set(head)
  let offset = head.length
  for (const part of data instanceof Uint8Array ? [data] : data) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}

/** By file of the library: a text, and what stands in its place. */
const changes = {
  // Both ends are ours: fewer messages take less processor time, and browsers take up to 256 KiB (go-libp2p, too).
  'constants.js': [
    ['MAX_MESSAGE_SIZE = 16 * 1024;', 'MAX_MESSAGE_SIZE = 64 * 1024;'],
    ['MAX_EARLY_DATA_CHANNEL_BYTES = MAX_MESSAGE_SIZE;', 'MAX_EARLY_DATA_CHANNEL_BYTES = 16 * 1024;']
  ],
  // What waits to be sent never runs out while more is written.
  'stream.js': [
    [
      'this.channel.bufferedAmountLowThreshold = 0;\n',
      'this.channel.bufferedAmountLowThreshold = this.maxBufferedAmount / 2;\n'
    ],
    // In one message and with one copy, not the length in a message of its own and three copies.
    [
      `this._sendMessage(lengthPrefixed.encode.single(Message.encode({
            message: data.subarray()
        })));`,
      'this._sendMessage([framed(data)]);'
    ],
    ['export class WebRTCStream ', `${framed}\n\nexport class WebRTCStream `]
  ],
  'util.js': [
    ['if (request.ufrag == null) {', 'if (request.ufrag == null || request.localUfrag == null) {'],
    [
      'if (!isValidUfrag(request.ufrag)) {',
      // A password of ICE has 22 characters or more, a name 4 (RFC 8445, 5.3).
      `if (!isValidUfrag(request.localUfrag) || !/^[a-zA-Z0-9+/]{4,256}$/.test(request.ufrag) ||
        !request.localUfrag.startsWith('${prefix}') || request.localUfrag.length < ${prefix.length + 22}) {`
    ],
    [
      'cb(request.ufrag, request.host, request.port);',
      'cb(request.localUfrag, request.host, request.port, request.ufrag);'
    ]
  ],
  'private-to-public/listener.js': [
    ['(ufrag, remoteHost, remotePort) =>', '(ufrag, remoteHost, remotePort, clientUfrag) =>'],
    [
      'this.incomingConnection(ufrag, remoteHost, remotePort, signal)',
      'this.incomingConnection(ufrag, remoteHost, remotePort, signal, clientUfrag)'
    ],
    [
      'async incomingConnection(ufrag, remoteHost, remotePort, signal) {',
      'async incomingConnection(ufrag, remoteHost, remotePort, signal, clientUfrag) {'
    ],
    [`role: 'server',\n`, `role: 'server', clientUfrag,\n`]
  ],
  'private-to-public/utils/connect.js': [
    ['const mungedOfferSdp = sdp.munge(offerSdp, ufrag);', 'const mungedOfferSdp = offerSdp;'],
    [
      'const answerSdp = sdp.serverAnswerFromMultiaddr(options.remoteAddr, ufrag);',
      `const [, password] = /^a=ice-pwd:(\\S+)/m.exec(peerConnection.localDescription.sdp);
            const answerSdp = sdp.serverAnswerFromMultiaddr(options.remoteAddr, '${prefix}' + password);`
    ],
    [
      'sdp.clientOfferFromMultiAddr(options.remoteAddr, ufrag);',
      `sdp.clientOfferFromMultiAddr(options.remoteAddr, options.clientUfrag, ufrag.slice(${prefix.length}));`
    ]
  ],
  'private-to-public/utils/sdp.js': [
    ['function clientOfferFromMultiAddr(ma, ufrag) {', 'function clientOfferFromMultiAddr(ma, ufrag, pwd) {'],
    [
      'a=setup:active\na=ice-ufrag:${ufrag}\na=ice-pwd:${ufrag}',
      'a=setup:active\na=ice-ufrag:${ufrag}\na=ice-pwd:${pwd}'
    ]
  ],
  // The certificate is always given: without these, 800 kB of libraries that write certificates are not needed.
  'private-to-public/transport.js': [
    [`import 'reflect-metadata';\n`, ''],
    [`import { BasicConstraintsExtension, X509Certificate, X509CertificateGenerator } from '@peculiar/x509';\n`, '']
  ],
  'private-to-public/transport.browser.js': [
    [
      'dataChannel: this.init.dataChannel,\n            maxEarly',
      'certificate: this.init.certificate, dataChannel: this.init.dataChannel,\n            maxEarly'
    ]
  ],
  'private-to-public/utils/get-rtcpeerconnection.js': [
    [`import { Crypto } from '@peculiar/webcrypto';\n`, ''],
    [`import { generateTransportCertificate } from "./generate-certificates.js";\n`, ''],
    ['const crypto = new Crypto();\n', '']
  ]
}

const folder = new URL('node_modules/@libp2p/webrtc/dist/src/', import.meta.url)

/** The changed files, by path. Read at once, so that the build also fails for a file that is no longer there. */
const changed = new Map(Object.entries(changes).map(([file, pairs]) => [fileURLToPath(new URL(file, folder)), pairs]))

function read(path) {
  let text = readFileSync(path, 'utf8')
  for (const [from, to] of changed.get(path)) {
    const parts = text.split(from)
    if (parts.length !== 2) throw new Error(`${path} has this ${parts.length - 1} times, expected once: ${from}`)
    text = parts.join(to)
  }
  return text
}

export const webrtcVersion2 = {
  name: 'webrtc-version-2',
  setup(build) {
    const texts = new Map([...changed.keys()].map((path) => [path, read(path)]))
    build.onLoad({ filter: /@libp2p[\\/]webrtc[\\/]/ }, ({ path }) => {
      const contents = texts.get(path)
      return contents === undefined ? undefined : { contents }
    })
    // The same library as that of TCP, under its newer name.
    build.onResolve({ filter: /^@libp2p\/noise$/ }, ({ path: _, ...from }) =>
      build.resolve('@chainsafe/libp2p-noise', from)
    )
  }
}
