/** An application that trains in its tab: `npm run build` in this folder bundles it with Vite. */
import { joinRun } from '@murmuration/browser'

const form = document.querySelector('form')
const output = document.querySelector('output')

/** Shows what happens in the run. */
function on(event) {
  if (event.kind === 'phase') output.textContent = event.text
  if (event.kind === 'step')
    output.textContent = `Round ${event.round} of ${event.rounds}, loss ${event.loss.toFixed(3)}`
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    const { accuracy, rounds } = await joinRun(String(new FormData(form).get('link')), { on })
    output.textContent = `After ${rounds} rounds the accuracy is ${accuracy}.`
  } catch ({ message }) {
    output.textContent = message
  }
})
