/** Gloo of PyTorch, as its point-to-point calls have it. */
import { openPython } from './python.mjs'

/** What a Python with PyTorch and Gloo can do. */
export const statement = 'import torch.distributed as d; assert d.is_gloo_available()'

export const open = (link) => openPython(link, 'gloo', statement, [link.options.threads])
