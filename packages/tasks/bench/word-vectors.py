"""gensim beside word-vectors.mjs: python3 word-vectors.py SENTENCES SETTINGS (pip install gensim). Trains an epoch for each line on standard input."""
import json
import sys
import time

import gensim
from gensim.models.word2vec import LineSentence, Word2Vec

sentences, settings = LineSentence(sys.argv[1]), json.loads(sys.argv[2])
rate = settings["rate"]
model = Word2Vec(
    vector_size=settings["rank"], window=settings["window"], negative=settings["negatives"],
    sample=settings["subsample"], alpha=rate, min_alpha=rate, sg=1, workers=1, min_count=1, seed=1,
)
model.build_vocab(sentences)
print(json.dumps({"version": gensim.__version__}), flush=True)
for _ in sys.stdin:
    before = time.process_time()
    model.train(sentences, total_examples=model.corpus_count, epochs=1)
    seconds = time.process_time() - before
    pairs = [(str(a), str(b)) for a, b in settings["pairs"]]
    pairs = [pair for pair in pairs if all(word in model.wv for word in pair)]
    found = sum(model.wv.most_similar(a, topn=1)[0][0] == b for a, b in pairs)
    print(json.dumps({"seconds": seconds, "found": found / len(pairs)}), flush=True)
