import type { View } from './view.js'

/** The state of a swarm as one peer sees it. docs/use/failures.md has the table. */
export type MemberState = 'starting' | 'healthy' | 'degraded' | 'partitioned' | 'isolated'

/**
 * @param hasBegun - whether this peer has a life
 * @param hasOthers - whether the run has other peers
 */
export function stateOf(
  view: Pick<View, 'members' | 'presentCount' | 'isMain' | 'brokenPairs' | 'leftOut'>,
  hasBegun: boolean,
  hasOthers: boolean
): MemberState {
  if (!hasBegun) return 'starting'
  if (view.presentCount <= 1 && hasOthers) return 'isolated'
  if (!view.isMain) return 'partitioned'
  const { members, presentCount, brokenPairs, leftOut } = view
  return presentCount < members.length || brokenPairs.length + leftOut.size > 0 ? 'degraded' : 'healthy'
}
