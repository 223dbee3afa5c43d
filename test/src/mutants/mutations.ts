import { type AnyNode, type Expression, type MemberExpression, type Node, parse } from 'acorn'
import { fullAncestor } from 'acorn-walk'

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
  const found: { readonly mutant: Mutant; readonly end: number }[] = []
  const syntax = parse(program, { ecmaVersion: 'latest', sourceType: 'module' })
  fullAncestor<undefined>(syntax, (node, _, ancestors) => {
    const change = ancestors.some(isKept) ? undefined : changeOf(node, program)
    if (change === undefined) return
    const { start, end, after } = change
    found.push({ mutant: { start, before: program.slice(start, end), after, at: node.start }, end: node.end })
  })
  // A node that contains another comes first.
  return found.sort((a, b) => a.mutant.at - b.mutant.at || b.end - a.end).map(({ mutant }) => mutant)
}

/** Whether nothing in a node is changed. */
function isKept(node: AnyNode): boolean {
  return ['ThrowStatement', 'ImportDeclaration', 'ExportAllDeclaration'].includes(node.type)
}

/** The program with one mutant. */
export function mutated(program: string, { start, before, after }: Mutant): string {
  return program.slice(0, start) + after + program.slice(start + before.length)
}

interface TextChange {
  readonly start: number
  readonly end: number
  readonly after: string
}

/** What to change at a node, if anything. */
function changeOf(node: AnyNode, program: string): TextChange | undefined {
  const replaced = ({ start, end }: Node, by: (text: string) => string) => ({
    start,
    end,
    after: by(program.slice(start, end))
  })
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return operatorChange(node, program)
    case 'MemberExpression':
      return nameChange(node)
    case 'Literal':
      if (typeof node.value === 'number') return replaced(node, (text) => `(${text} + 1)`)
      return typeof node.value === 'boolean' ? replaced(node, (text) => String(text !== 'true')) : undefined
    case 'IfStatement':
      return replaced(node.test, (text) => `!(${text})`)
    case 'ExpressionStatement':
      // A call for its effect is removed.
      return isCall(node.expression) ? replaced(node, () => ';') : undefined
    default:
      return undefined
  }
}

interface BinaryOperation extends Node {
  readonly operator: string
  readonly left: Node
  readonly right: Node
}

function operatorChange({ operator, left, right }: BinaryOperation, program: string): TextChange | undefined {
  const after = operators[operator]
  if (after === undefined || [left, right].some((node) => isText(node, program))) return undefined
  const start = left.end + operatorAt(program.slice(left.end, right.start), operator)
  return { start, end: start + operator.length, after }
}

/** Where the operator is in the text between its operands, which may have parentheses and comments. */
function operatorAt(between: string, operator: string): number {
  return between.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length)).indexOf(operator)
}

function nameChange({ object, property }: MemberExpression): TextChange | undefined {
  if (object.type !== 'Identifier' || object.name !== 'Math' || property.type !== 'Identifier') return undefined
  const after = names[property.name]
  return after === undefined ? undefined : { start: property.start, end: property.end, after }
}

function isCall(expression: Expression): boolean {
  if (expression.type === 'AwaitExpression') return isCall(expression.argument)
  if (expression.type === 'ChainExpression') return isCall(expression.expression)
  return expression.type === 'CallExpression' && expression.callee.type !== 'Super'
}

function isText({ type, start }: Node, program: string): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && /['"]/.test(program.charAt(start)))
}
