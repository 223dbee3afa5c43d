/** ln(2) in two parts: the products of the first with whole numbers below 2²⁰ are exact. */
export const ln2High = 6.9314718036912381649e-1
export const ln2Low = 1.90821492927058770002e-10
