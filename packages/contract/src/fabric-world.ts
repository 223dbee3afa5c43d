import type { Fabric, PeerName, Topology } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** A source of fabrics: it runs a program on every peer of a topology until all have ended. */
export interface FabricWorld {
  readonly name: string
  /** Whether the same run gives the same bits even where they depend on which peers are fast. */
  readonly isDeterministic: boolean
  /**
   * Rejects with the first error of a program. Vectors have `vectorLength` elements. The servers run the same program.
   */
  run(
    topology: Topology,
    program: (fabric: Fabric<VectorMessage>) => Promise<void>,
    servers?: readonly PeerName[]
  ): Promise<void>
  /** As `run`, but the peer `stopped` is told to stop once its program has called `ready`. */
  runAndStop(
    topology: Topology,
    stopped: PeerName,
    program: (fabric: Fabric<VectorMessage>, ready: () => void) => Promise<void>
  ): Promise<void>
  /** As `run`, with vectors of `length` elements, and lines of so many bits per second. */
  runOverLines(
    topology: Topology,
    line: { readonly length: number; readonly bandwidth: number },
    program: (fabric: Fabric<VectorMessage>) => Promise<void>
  ): Promise<void>
}
