/** The page before it has received any data. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Murmuration</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/uplot.js" defer></script>
<script src="/page/main.js" type="module"></script>
</head>
<body>
<noscript><p class="wrong">This page needs JavaScript.</p></noscript>
<header>
<h1>Murmuration</h1>
<p id="connection" class="chip" role="status">connecting</p>
<p id="facts" class="quiet"></p>
</header>
<main>
<div id="progress"><div></div></div>
<dl id="tiles"></dl>
<section id="charts" aria-label="Curves"></section>
<section aria-label="Peers">
<h2>Peers</h2>
<div class="scroll"><table id="peers"><thead></thead><tbody></tbody></table></div>
</section>
<section aria-label="Timeline">
<h2>Timeline</h2>
<p class="quiet">The last two minutes, a column for each second:
<span class="swatch working"></span> working <span class="swatch waiting"></span> waiting for neighbours
<span class="swatch sending"></span> a vector in flight. They overlap: peers compute while they send.</p>
<div class="scroll"><canvas id="timeline" role="img"></canvas></div>
</section>
<section aria-label="Links">
<h2>Links</h2>
<p class="quiet">Bytes per second from the peer of the row to that of the column, as the sender counts them;
<span class="swatch broken"></span> a link that is not ready.
<output id="link"></output></p>
<div class="scroll"><canvas id="links" role="img"></canvas></div>
</section>
<section aria-label="Events">
<h2>Events</h2>
<ol id="events"></ol>
</section>
</main>
</body>
</html>
`
