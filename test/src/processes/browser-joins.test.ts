/** A person's whole way, in a real browser: from the link that a peer prints to a prediction of the trained model. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import test, { type ExecutionContext } from 'ava'
import { root } from '../repository.js'
import { executablePath, openedBrowser, skipped } from './browser.js'
import { murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

/** A peer that lets browsers join, and what it prints about that. */
async function peerForBrowsers(t: ExecutionContext) {
  const home = await temporaryFolder()
  const [topology, train] = [join(home, 'tab.yaml'), join(home, 'train.yaml')]
  const ids = await murmurInTurn(
    [
      ['identity', 'run-key', '--json'],
      ['identity', 'alice', '--json']
    ],
    home
  )
  const [runKey, alice] = ids.map((result) => String(recordsOf(result)[0].id))
  const places = `  - { name: alice, id: ${alice}, listen: [/ip4/127.0.0.1/tcp/0] }\n  - { name: phone, invited: true }\n`
  await writeFile(topology, `graph: complete\nrunKey: ${runKey}\npeers:\n${places}`)
  await writeFile(train, 'task: { kind: mlp, hidden: [16] }\ndata: { digits: 600, size: 14 }\nrounds: 60\n')
  const args = [topology, '--train', train]
  const peer = murmur(['peer', ...args, '--as', 'alice', '--browsers', '--json'], home, timeLimit(120_000))
  t.teardown(() => peer.process.kill('SIGKILL'))
  const served = await peer.telling('the page', ({ kind }) => kind === 'browsers')
  const [url] = served.urls as string[]
  const seeds = (served.seeds as string[]).flatMap((seed) => ['--seed', seed])
  const invited = await murmur(['invite', ...args, '--name', 'phone', '--page', url, ...seeds], home).result
  return { peer, url, invited }
}

inBrowser(
  `a person opens a link, joins, and the model that they trained names what a picture shows${skipped}`,
  async (t) => {
    t.timeout(timeLimit(150_000))
    const { peer, url, invited } = await peerForBrowsers(t)
    t.is(invited.code, 0, invited.stderr)
    const link = invited.stdout.trim()
    t.regex(link, /^http:\/\/127\.0\.0\.1:\d+\/#join=murmur1\.[\w-]+$/)
    t.notRegex(peer.output(), /murmur1\./, 'a log has no invitation')
    const { page, complaints } = await openedBrowser(t, link, { viewport: { width: 375, height: 700 } })
    const timeout = timeLimit(60_000)
    await page.getByRole('heading', { name: 'You are invited as “phone”' }).waitFor({ timeout })
    t.is(page.url(), url)
    t.regex((await page.locator('#facts').textContent()) ?? '', /alice, phone.*60 rounds/)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('heading', { name: 'The model is trained' }).waitFor({ timeout })
    t.regex((await page.locator('#summary').textContent()) ?? '', /^60 rounds: loss \d\.\d+, accuracy \d+\.\d %\.$/)
    const picture = await readFile(join(root, 'docs/images/swarm.png'))
    await page.locator('#tried').setInputFiles({ name: 'digit.png', mimeType: 'image/png', buffer: picture })
    await page.getByText(/^It is probably \d\.$/).waitFor({ timeout })
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()])
    t.regex(await readFile(await download.path(), 'latin1'), /"murmuration/)
    t.deepEqual(
      complaints.filter((text) => !/^(ws|http):\/\/127\.0\.0\.1/.test(text)),
      []
    )
    t.is((await peer.result).code, 0)
  }
)
