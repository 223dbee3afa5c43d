import ts from 'typescript'

/** One small change of a program. */
export interface Mutant {
  /** Where the changed text begins, and its content. */
  readonly start: number
  readonly before: string
  readonly after: string
  /** Where the expression or statement around the change begins: the change ran if something there did. */
  readonly at: number
}

/** Operators and their replacements: the ones that a slip would produce. */
const operators: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&'
}

const names: Readonly<Record<string, string>> = { min: 'max', max: 'min', floor: 'ceil', ceil: 'floor' }

/** All mutants of a JavaScript program, in the order of their places. Texts and thrown values are not changed. */
export function mutantsOf(program: string): readonly Mutant[] {
  const source = ts.createSourceFile('program.js', program, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS)
  const found: Mutant[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isThrowStatement(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    const change = changeOf(node)
    if (change !== undefined) {
      const start = change.node.getStart(source)
      found.push({
        start,
        before: program.slice(start, change.node.end),
        after: change.after,
        at: node.getStart(source)
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The program with one mutant. */
export function mutated(program: string, { start, before, after }: Mutant): string {
  return program.slice(0, start) + after + program.slice(start + before.length)
}

interface Change {
  readonly node: ts.Node
  readonly after: string
}

/** What to change at a node, if anything. */
function changeOf(node: ts.Node): Change | undefined {
  if (ts.isBinaryExpression(node)) return operatorChange(node)
  if (ts.isPropertyAccessExpression(node)) return nameChange(node)
  if (ts.isNumericLiteral(node)) return { node, after: `(${node.getText()} + 1)` }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { node, after: 'false' }
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { node, after: 'true' }
  if (ts.isIfStatement(node)) return { node: node.expression, after: `!(${node.expression.getText()})` }
  // A call for its effect is removed.
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return { node, after: ';' }
  return undefined
}

function operatorChange({ operatorToken, left, right }: ts.BinaryExpression): Change | undefined {
  const after = operators[operatorToken.getText()]
  if (after === undefined || [left, right].some(isText)) return undefined
  return { node: operatorToken, after }
}

function nameChange({ expression, name }: ts.PropertyAccessExpression): Change | undefined {
  const after = names[name.text]
  return expression.getText() === 'Math' && after !== undefined ? { node: name, after } : undefined
}

function isCall(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression)) return isCall(expression.expression)
  return ts.isCallExpression(expression) && expression.expression.kind !== ts.SyntaxKind.SuperKeyword
}

function isText(expression: ts.Expression): boolean {
  return ts.isStringLiteralLike(expression) || ts.isTemplateExpression(expression)
}
