/** The style of the pages: in the colours of the report. */

/** What all pages share: colours, text, tables, chips. */
export const sharedStyle = `
:root{color-scheme:light dark;--page:#fff;--text:#1b1d22;--quiet:#5b606b;--line:#d9dce2;--soft:#f3f4f6;--accent:#0b5cad;
--good:#1a7f4b;--warn:#9a6200;--wrong:#b3261e;--working:#1f5f8b;--waiting:#b8bec9;--sending:#d08700;--series:#0072b2}
@media (prefers-color-scheme:dark){:root{--page:#15171c;--text:#e8eaee;--quiet:#a3a9b5;--line:#373b45;--soft:#1f2229;--accent:#7cb8ff;
--good:#4cc38a;--warn:#f0b030;--wrong:#ff8a80;--working:#5aa9dd;--waiting:#5b6270;--sending:#f0b030;--series:#4ea8e6}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI","Liberation Sans",sans-serif}
header,main{max-width:1180px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;padding-top:16px}
header p{margin:0}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.1rem;margin:28px 0 6px}
.quiet{color:var(--quiet);font-size:.875rem;margin:0 0 8px}
.wrong{color:var(--wrong)}
.chip{display:inline-block;padding:0 8px;border-radius:10px;border:1px solid currentColor;font-size:.8rem;white-space:nowrap;color:var(--quiet)}
.good{color:var(--good)}
.warn{color:var(--warn)}
.chip.good{color:var(--good)}
.chip.warn{color:var(--warn)}
.chip.wrong{color:var(--wrong)}
#charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:12px 20px;margin-top:20px}
#charts figure{margin:0;min-width:0;overflow:hidden}
#charts h3{font-size:.9rem;margin:0 0 2px}
canvas{display:block}
.u-legend{display:none}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:3px 12px 3px 0;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th{font-weight:600}
th:first-child,td:first-child,.text{text-align:left!important}
tbody th{font-weight:600}
ol{list-style:none;margin:0;padding:0;font-size:.875rem;max-height:320px;overflow-y:auto}
li{padding:2px 0;overflow-wrap:anywhere}
li time{color:var(--quiet);margin-right:10px;font-variant-numeric:tabular-nums}
`

/** The style of the page that shows a run. */
export const pageStyle = `${sharedStyle}
#facts{flex-basis:100%}
#progress{height:6px;border-radius:3px;background:var(--soft);margin:10px 0 14px;overflow:hidden}
#progress div{height:100%;width:0;background:var(--accent)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:10px;margin:0}
dl div{background:var(--soft);border-radius:8px;padding:8px 12px;min-width:0}
dt{color:var(--quiet);font-size:.8rem}
dd{margin:0;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
dd small{font-size:.75rem;font-weight:400;color:var(--quiet)}
.bars{display:inline-grid;grid-template-rows:repeat(3,4px);gap:1px;width:72px;vertical-align:middle}
.bars span{height:4px;display:block;background:var(--soft)}
.bars i{height:4px;display:block}
.working{background:var(--working)}
.waiting{background:var(--waiting)}
.sending{background:var(--sending)}
.broken{background:var(--wrong)}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px}
@media (max-width:560px){header,main{padding-left:12px;padding-right:12px}dl{grid-template-columns:repeat(2,1fr)}}
`
