/** The page's style. Colours are variables, so that charts follow light, dark and print without being drawn again. */
import type { PageData } from '../shared/page-data.js'

/**
 * Sixteen colours, of which colour-blind people can distinguish the first eight too, mainly by lightness; lines differ
 * by their dashes besides.
 */
const light = [
  ...['#0072b2', '#d08700', '#00916a', '#c4629b', '#b23a00', '#4aa3db', '#3d3d45', '#85858f'],
  ...['#6a3d9a', '#7a9a01', '#7a5200', '#ef8a75', '#004d40', '#b8a000', '#8c1d5a', '#9fa8da']
]
const dark = [
  ...['#4ea8e6', '#f0b030', '#22b68a', '#e08cc0', '#ee6a3c', '#a7dcf7', '#e4e4ea', '#94949e'],
  ...['#b08ae6', '#b7d334', '#c9a26b', '#ffb3a3', '#7fe0d0', '#efe36a', '#f06aa8', '#7f8ff5']
]
/** The colours on which white text is easier to read than black. */
const whiteOnLight = [0, 4, 6, 8, 10, 12, 14]
const dashes = ['none', '7 3', '2 3', '9 3 2 3', '12 4', '4 2', '1 2']

const lightColours = `--page:#fff;--text:#1b1d22;--quiet:#5b606b;--line:#d9dce2;--soft:#f3f4f6;--accent:#0b5cad;--wrong:#b3261e;
--working:#1f5f8b;--sending:#d08700;--waiting:#d5d9e0;--gradient:#7fb4de;--other:#b79ccb;
--on-working:#fff;--on-sending:#111;--on-waiting:#111;--on-other:#111;`

const darkColours = `--page:#15171c;--text:#e8eaee;--quiet:#a3a9b5;--line:#373b45;--soft:#1f2229;--accent:#7cb8ff;--wrong:#ff8a80;
--working:#5aa9dd;--sending:#f0b030;--waiting:#4a505c;--gradient:#2f6a97;--other:#6d5582;
--on-working:#111;--on-sending:#111;--on-waiting:#fff;--on-other:#fff;`

/**
 * Variables for every method: its colour, the colour of text on it, and its line's dashes. The leader gets the first
 * ones.
 */
function looksOf({ methods, leader }: PageData, colours: readonly string[], whiteOn: readonly number[]): string {
  return methods
    .map((_, index) => {
      const look = index === leader ? 0 : index < leader ? index + 1 : index
      const letters = whiteOn.includes(look % colours.length) ? '#fff' : '#111'
      const colour = colours[look % colours.length]
      const dash = dashes[look % dashes.length]
      return `--method-${index}:${colour};--on-method-${index}:${letters};--dashes-${index}:${dash};`
    })
    .join('')
}

/** The style sheet of a report on these methods. */
export const styleOf = (data: PageData): string => `
:root{color-scheme:light dark;${lightColours}${looksOf(data, light, whiteOnLight)}}
@media screen and (prefers-color-scheme:dark){:root{${darkColours}${looksOf(data, dark, [])}}}
${rules}`

const rules = `*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI","Liberation Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 24px 64px}
header p,section>p,section>ul,dl{max-width:76ch}
h1{font-size:2rem;line-height:1.2;margin:16px 0 12px}
h2{font-size:1.4rem;margin:56px 0 12px;padding-top:16px;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:32px 0 8px}
p{margin:0 0 12px}
ul{margin:0 0 12px;padding-left:1.3em}
.finding{font-size:1.2rem;line-height:1.45}
.caption{font-size:.875rem;max-width:96ch}
.quiet,.caption,figcaption,small,caption{color:var(--quiet)}
.wrong{color:var(--wrong);font-weight:600}
.chosen{font-size:1.1rem;margin:8px 0}
figure{margin:0 0 24px;break-inside:avoid}
figcaption{font-size:.875rem;max-width:96ch;margin-top:6px}
figure h4{font-size:.9rem;margin:0 0 4px}
svg{--plot-background:var(--page);display:block;max-width:100%;height:auto;font-family:inherit;overflow:visible}
svg text{font-variant-numeric:tabular-nums}
.pickers{display:flex;flex-wrap:wrap;gap:8px 16px;margin:8px 0 16px;align-items:end}
.pickers label{display:flex;flex-direction:column;gap:2px;font-size:.8rem;color:var(--quiet)}
.pickers label.check{flex-direction:row;align-items:center;gap:6px;padding-bottom:6px}
select{font:inherit;font-size:.95rem;color:var(--text);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:4px 8px;max-width:340px}
.save{font:inherit;color:var(--accent);background:none;border:0;padding:0;cursor:pointer;text-decoration:underline}
select:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:.875rem;margin:0 0 8px;padding:0;list-style:none}
.legend li{display:flex;align-items:center;gap:6px}
.legend svg{flex:none}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(330px,1fr));gap:8px 24px}
.scroll{overflow-x:auto;margin:0 0 20px}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;break-inside:avoid}
caption{text-align:left;caption-side:top;font-size:.875rem;padding-bottom:6px;max-width:min(96ch,calc(100vw - 48px))}
th,td{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
thead th{font-weight:600;vertical-align:bottom}
th:first-child,td.text,th.text{text-align:left}
td small{white-space:pre}
tbody th{font-weight:500;min-width:13ch;max-width:34ch}
th div{white-space:nowrap}
table+p{margin-top:16px}
table.wide th{max-width:none}
[hidden]{display:none!important}
td small,th small{display:block;font-size:.87em;font-weight:400}
td.best{font-weight:700}
tr.fusing th,tr.fusing td{color:var(--quiet);font-style:italic}
pre,code{font:.82rem/1.45 ui-monospace,"DejaVu Sans Mono","Liberation Mono",monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:12px;overflow:auto;max-height:480px;white-space:pre-wrap;overflow-wrap:anywhere}
td code{font-size:.9em;overflow-wrap:anywhere}
.methods div{margin-bottom:8px}
footer{max-width:1180px;margin:0 auto;padding:0 24px 32px;color:var(--quiet);font-size:.875rem}
dt{font-weight:600}
dd{margin:0 0 0 20px}
.swatch{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:8px;print-color-adjust:exact}
.clickable{cursor:pointer}
@media (max-width:860px){table{font-size:.84rem}th,td{padding-right:8px}main{padding:12px 16px 48px}h1{font-size:1.6rem}}
@media print{
:root{color-scheme:light}
body{font-size:11pt}
main{max-width:none;padding:0}
footer,.pickers,.save,noscript{display:none}
pre{max-height:none;overflow:visible}
.scroll{overflow:visible}
h2,h3,h4,.legend,.chosen{break-after:avoid}
table{font-size:8.5pt}
table{break-inside:auto}
caption,thead,tbody tr:nth-child(-n+2){break-after:avoid}
.methods div{break-inside:avoid}
th,td{padding-right:8px}
tr,p,li,caption,#setting table{break-inside:avoid}
h2{margin-top:28px}
.row{grid-template-columns:1fr 1fr}
}
`
