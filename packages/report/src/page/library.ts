/** Observable Plot, which a script before this one defines. */
import type * as PlotLibrary from '@observablehq/plot'

declare global {
  const Plot: typeof PlotLibrary
}
