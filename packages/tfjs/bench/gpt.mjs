/** A small GPT of plain operations: 4 layers, 128 wide, 4 heads, 64 characters of 65, a batch of 8; random text. */
const batch = 8
const length = 64
const width = 128
const heads = 4
const layers = 4
const characters = 65
const headWidth = width / heads

export class Gpt {
  #tf
  #weights = {}
  #mask
  #inputs
  #targets

  constructor(tf) {
    this.#tf = tf
    this.#add('characters', [characters, width])
    this.#add('places', [length, width])
    for (let layer = 0; layer < layers; layer++) {
      for (const name of ['query', 'key', 'value', 'join']) this.#add(`${name} ${layer}`, [width, width])
      this.#add(`up ${layer}`, [width, 4 * width])
      this.#add(`down ${layer}`, [4 * width, width])
      this.#addNorm(`attention norm ${layer}`)
      this.#addNorm(`norm ${layer}`)
    }
    this.#addNorm('last norm')
    this.#mask = tf.tensor(
      Float32Array.from({ length: length ** 2 }, (_, k) => (k % length > Math.floor(k / length) ? -1e9 : 0)),
      [1, 1, length, length]
    )
    this.#inputs = tf.randomUniform([batch * length], 0, characters, 'int32')
    this.#targets = tf.oneHot(tf.randomUniform([batch * length], 0, characters, 'int32'), characters, 1, 0, 'float32')
  }

  gradient() {
    const tf = this.#tf
    tf.tidy(() => {
      const loss = () => tf.losses.softmaxCrossEntropy(this.#targets, this.#logits())
      tf.variableGrads(loss, Object.values(this.#weights)).value.dataSync()
    })
  }

  #add(name, shape) {
    this.#weights[name] = this.#tf.variable(this.#tf.randomNormal(shape, 0, 0.02))
  }

  #addNorm(name) {
    this.#weights[`${name}, scale`] = this.#tf.variable(this.#tf.ones([width]))
    this.#weights[`${name}, shift`] = this.#tf.variable(this.#tf.zeros([width]))
  }

  #logits() {
    const tf = this.#tf
    const places = tf.reshape(tf.tile(this.#weights.places, [batch, 1]), [batch * length, width])
    let x = tf.add(tf.gather(this.#weights.characters, this.#inputs), places)
    for (let layer = 0; layer < layers; layer++) {
      x = tf.add(x, this.#attention(this.#normalised(x, `attention norm ${layer}`), layer))
      const up = tf.matMul(this.#normalised(x, `norm ${layer}`), this.#weights[`up ${layer}`])
      x = tf.add(x, tf.matMul(tf.relu(up), this.#weights[`down ${layer}`]))
    }
    return tf.matMul(this.#normalised(x, 'last norm'), this.#weights.characters, false, true)
  }

  #attention(x, layer) {
    const tf = this.#tf
    const [query, key, value] = ['query', 'key', 'value'].map((name) =>
      this.#split(x, this.#weights[`${name} ${layer}`])
    )
    const scores = tf.mul(tf.matMul(query, key, false, true), 1 / Math.sqrt(headWidth))
    const mixed = tf.matMul(tf.softmax(tf.add(scores, this.#mask)), value)
    const joined = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, width])
    return tf.matMul(joined, this.#weights[`join ${layer}`])
  }

  #split(x, weights) {
    const tf = this.#tf
    return tf.transpose(tf.reshape(tf.matMul(x, weights), [batch, length, heads, headWidth]), [0, 2, 1, 3])
  }

  #normalised(x, name) {
    const tf = this.#tf
    const centred = tf.sub(x, tf.mean(x, -1, true))
    const variance = tf.mean(tf.square(centred), -1, true)
    const normal = tf.mul(centred, tf.rsqrt(tf.add(variance, 1e-5)))
    return tf.add(tf.mul(normal, this.#weights[`${name}, scale`]), this.#weights[`${name}, shift`])
  }
}
