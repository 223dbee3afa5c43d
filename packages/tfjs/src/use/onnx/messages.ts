/**
 * The part of ONNX's messages that models of layers need, with the field numbers of onnx.proto (github.com/onnx/onnx,
 * ir_version 8), as protocol buffers.
 */
import { PbfWriter } from 'pbf'

/** An attribute of a node: a float, whole numbers, or a word. */
export type Attribute =
  | { readonly float: number }
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly floats: Iterable<number> }
  | { readonly text: string }

/** An operation: names of its inputs, and the name of its output. */
export interface OnnxNode {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  /** The name of its second output, if it has two. */
  readonly second?: string
  /** 'ai.onnx.ml' for operators of classical machine learning. */
  readonly domain?: 'ai.onnx.ml'
  readonly attributes: Readonly<Record<string, Attribute>>
}

/** A constant: float32, or 64-bit integers where an operation requires a shape. */
export interface OnnxTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array | BigInt64Array
}

/** An input or output of the graph, float32 where it does not say integers; `null` is the batch. */
export interface OnnxValue {
  readonly name: string
  readonly areIntegers?: boolean
  readonly shape: readonly (number | null)[]
}

/** A whole model. */
export interface OnnxModel {
  readonly nodes: readonly OnnxNode[]
  readonly tensors: readonly OnnxTensor[]
  readonly input: OnnxValue
  readonly output: OnnxValue
  readonly second?: OnnxValue
  readonly metadata: Readonly<Record<string, string>>
}

const irVersion = 8
/** The version of the operators; every runtime since 2020 reads 13. */
const operatorSet = 13
/** The version of the operators of ai.onnx.ml. */
const learningSet = 1

/** AttributeProto.AttributeType. */
const types = { float: 1, int: 2, text: 3, floats: 6, ints: 7 } as const
/** TensorProto.DataType. */
const float32 = 1
const int64 = 7

/** A model as the bytes of a file. */
export function encodeOnnx(model: OnnxModel): Uint8Array {
  const writer = new PbfWriter()
  writer.writeVarintField(1, irVersion)
  writer.writeStringField(2, 'murmuration')
  writer.writeMessage(7, writeGraph, model)
  writer.writeMessage(8, (_, out) => out.writeVarintField(2, operatorSet), undefined)
  if (model.nodes.some(({ domain }) => domain !== undefined)) writer.writeMessage(8, writeLearningSet, undefined)
  for (const entry of Object.entries(model.metadata)) writer.writeMessage(14, writeEntry, entry)
  return writer.finish()
}

function writeLearningSet(_: undefined, writer: PbfWriter): void {
  writer.writeStringField(1, 'ai.onnx.ml')
  writer.writeVarintField(2, learningSet)
}

function writeGraph({ nodes, tensors, input, output, second }: OnnxModel, writer: PbfWriter): void {
  for (const node of nodes) writer.writeMessage(1, writeNode, node)
  writer.writeStringField(2, 'model')
  for (const tensor of tensors) writer.writeMessage(5, writeTensor, tensor)
  writer.writeMessage(11, writeValue, input)
  writer.writeMessage(12, writeValue, output)
  if (second !== undefined) writer.writeMessage(12, writeValue, second)
}

function writeNode({ operator, inputs, output, second, domain, attributes }: OnnxNode, writer: PbfWriter): void {
  for (const input of inputs) writer.writeStringField(1, input)
  writer.writeStringField(2, output)
  if (second !== undefined) writer.writeStringField(2, second)
  writer.writeStringField(3, output)
  writer.writeStringField(4, operator)
  for (const entry of Object.entries(attributes)) writer.writeMessage(5, writeAttribute, entry)
  if (domain !== undefined) writer.writeStringField(7, domain)
}

function writeAttribute([name, value]: readonly [string, Attribute], writer: PbfWriter): void {
  writer.writeStringField(1, name)
  if ('float' in value) writer.writeFloatField(2, value.float)
  else if ('int' in value) writer.writeVarintField(3, value.int)
  else if ('text' in value) writer.writeStringField(4, value.text)
  else if ('floats' in value) for (const each of value.floats) writer.writeFloatField(7, each)
  else for (const each of value.ints) writer.writeVarintField(8, each)
  const [kind] = Object.keys(value) as (keyof typeof types)[]
  writer.writeVarintField(20, types[kind])
}

function writeTensor({ name, shape, values }: OnnxTensor, writer: PbfWriter): void {
  for (const extent of shape) writer.writeVarintField(1, extent)
  writer.writeVarintField(2, values instanceof Float32Array ? float32 : int64)
  writer.writeStringField(8, name)
  writer.writeBytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
}

function writeValue(value: OnnxValue, writer: PbfWriter): void {
  writer.writeStringField(1, value.name)
  writer.writeMessage(2, (_, type) => type.writeMessage(1, writeTensorType, value), undefined)
}

function writeTensorType({ areIntegers, shape }: OnnxValue, writer: PbfWriter): void {
  writer.writeVarintField(1, areIntegers === true ? int64 : float32)
  writer.writeMessage(2, writeShape, shape)
}

function writeShape(shape: OnnxValue['shape'], writer: PbfWriter): void {
  for (const extent of shape) writer.writeMessage(1, writeExtent, extent)
}

function writeExtent(extent: number | null, writer: PbfWriter): void {
  if (extent === null) writer.writeStringField(2, 'batch')
  else writer.writeVarintField(1, extent)
}

function writeEntry([key, value]: readonly [string, string], writer: PbfWriter): void {
  writer.writeStringField(1, key)
  writer.writeStringField(2, value)
}
