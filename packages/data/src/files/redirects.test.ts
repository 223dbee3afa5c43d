import test from 'ava'
import { fetchFollowing, isInside } from './redirects.js'

const signal = AbortSignal.timeout(60_000)
const outside = 'http://93.184.215.14/data.csv'

/** Answers with a redirect to the next of these, and with a file at the end. */
function sending(...locations: readonly string[]): typeof fetch {
  const left = [...locations]
  return (_, options) => {
    if (options?.redirect !== 'manual') throw new Error('fetch follows redirects by itself')
    const location = left.shift()
    return Promise.resolve(
      location === undefined ? new Response('file') : new Response(null, { status: 302, headers: { location } })
    )
  }
}

for (const target of [
  'http://127.0.0.1:8080/admin',
  'http://localhost/',
  'http://10.1.2.3/',
  'http://172.31.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.64.0.1/',
  'http://0.0.0.0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a01:203]/',
  'http://[fe80::1]/',
  'http://[fd00::1]/'
])
  test(`a server outside cannot send a download to ${target}`, async (t) => {
    t.true(await isInside(new URL(target)))
    const message = /^it redirects to .*, an address inside this network/
    await t.throwsAsync(fetchFollowing(new URL(outside), signal, sending(target)), { message })
    await t.throwsAsync(fetchFollowing(new URL(outside), signal, sending('https://1.1.1.1/', target)), { message })
  })

test('redirects among hosts outside are followed, and inside for a user who named a host there', async (t) => {
  const text = async (url: string, ...locations: readonly string[]) =>
    (await fetchFollowing(new URL(url), signal, sending(...locations))).text()
  t.is(await text(outside), 'file')
  t.is(await text(outside, '/other.csv', 'https://1.1.1.1/x', 'http://[2606:4700:4700::1111]/y'), 'file')
  t.is(await text('http://192.168.1.5/a', 'http://10.0.0.1/b'), 'file')
})

test('redirects that do not end, and such to other protocols, are errors', async (t) => {
  const endless = sending(...Array.from({ length: 30 }, (_, place) => `/${place}`))
  await t.throwsAsync(fetchFollowing(new URL(outside), signal, endless), { message: 'it redirects more than 10 times' })
  const message = /^it redirects to file:.*, expected http/
  await t.throwsAsync(fetchFollowing(new URL(outside), signal, sending('file:///etc/passwd')), { message })
})
