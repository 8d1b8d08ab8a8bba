// deno-fmt-ignore-file -- one case on one line
// deno-lint-ignore-file no-explicit-any no-unused-vars require-await
// What compiles (p…), with which types, and what does not (n…), marked at the argument that is wrong; l… are limits of the compiler.
import { attempt, batch, batchBy, changes, channel, compose, concat, count, distinct, drop, every, filter, find, first, flatMap, fromEvents, fuse, groupBy, hub, interval, intersperse, last, limitRate, lines, map, merge, mergeBy, pairwise, parallel, peek, parseNdjson, pipeline, reader, rechunk, reduce, retry, scan, tee, sliding, some, split, stage, take, takeWhile, tap, timeout, toArray, toBytes, toJson, toText, writer, zip } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import type { PipelineOptions, PipelineSink, PipelineSource, PipelineStage, Transformer as Dictionary } from "@hosepipe/streams";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? [] : [never];
declare function is<B>(): <A>(a: A, ...same: Same<A, B>) => void;

declare const signal: AbortSignal;
declare const body: ReadableStream<any>;
declare const anything: any;
declare const bytes: ReadableStream<ReturnType<InstanceType<typeof TextEncoder>["encode"]>>;
declare const asyncAny: AsyncIterable<any>;
declare const strings: WritableStream<string>;
declare const wide: WritableStream<string | number>;
interface Row { id: number; name: string }
declare const rows: readonly Row[];
class Upper {
  transform(chunk: string, controller: TransformStreamDefaultController<string>) { controller.enqueue(chunk.toUpperCase()); }
}
class Structural {
  transform(chunk: string, controller: { enqueue(chunk: number): void }) { controller.enqueue(chunk.length); }
}
class Declared implements Dictionary<number, boolean> {
  transform(chunk: number, controller: TransformStreamDefaultController<boolean>) { controller.enqueue(chunk > 0); }
}
const isString = (chunk: unknown): chunk is string => typeof chunk === "string";
const isWord = (chunk: string | number): chunk is string => typeof chunk === "string";

// ---- sources
/*p1*/ pipeline([1], (n) => is<number>()(n));
/*p2*/ pipeline(rows, (row) => is<Row>()(row));
/*p3*/ pipeline(new Set(["a"]), (s) => is<string>()(s));
/*p4*/ pipeline(new Map([["a", 1]]), ([k, v]) => { is<string>()(k); is<number>()(v); });
/*p5*/ pipeline([Promise.resolve(1)], (n) => is<number>()(n));
/*p6*/ pipeline([1, Promise.resolve(2)], (x) => is<number>()(x));
/*p7*/ pipeline((async function* () { yield 1; })(), map((n) => n + 1), (n) => is<number>()(n));
/*p8*/ pipeline((function* () { yield "a"; })(), map((s) => s.length), (n) => is<number>()(n));
/*p9*/ pipeline(new ReadableStream<string>(), map((s) => s.length), (n) => is<number>()(n));
/*p10*/ pipeline(body, lines(), (l) => is<string>()(l));
/*p11*/ pipeline(asyncAny, lines(), (l) => is<string>()(l));
/*p12*/ pipeline(anything, lines(), (l) => is<string>()(l));
/*p13*/ pipeline(JSON.parse("[]"), map((x) => x.y), (y) => is<any>()(y));
/*p14*/ pipeline(anything, (x) => is<any>()(x));
/*p15*/ pipeline(bytes, lines(), (l) => is<string>()(l));
/*p16*/ pipeline([undefined, null, 1], tap((x) => x !== undefined), (x) => is<number | null | undefined>()(x));
/*p17*/ pipeline([], (x) => is<never>()(x));
/*p19*/ pipeline(reader(rows), map((r) => r.name), (s) => is<string>()(s));
/*p20*/ export const answered = async () => { const { chunksRead } = await pipeline((await fetch("/")).body!, lines(), (l) => is<string>()(l)); is<number>()(chunksRead); };
/*p21*/ pipeline([1, 2] as const, (n) => is<1 | 2>()(n));

// ---- stages
/*p22*/ pipeline(["a", 1], filter(isWord), (s) => is<string>()(s));
/*p23*/ pipeline(["a", 1], filter(isString), take(3), drop(1), tap((s) => s.length), batch(10), (b) => is<string[]>()(b));
/*p24*/ pipeline(rows, flatMap((r) => [r.id, r.name]), (x) => is<string | number>()(x));
/*p25*/ pipeline([1], map((n) => n > 0 ? n : undefined), (x) => is<number | undefined>()(x));
/*p26*/ pipeline([1], map(async (n) => `${n}`), (x) => is<string>()(x));
/*p27*/ pipeline([1], scan((sum, n) => sum + n, 0), (x) => is<number>()(x));
/*p28*/ pipeline([1], parallel(async (n) => ({ n }), { concurrency: 2 }), ({ n }) => is<number>()(n));
/*p29*/ pipeline(["a"], new Upper(), map((s) => s.length), (n) => is<number>()(n));
/*p30*/ pipeline(["a"], new Structural(), map((n) => n.toFixed()), (s) => is<string>()(s));
/*p31*/ pipeline([1], new Declared(), (b) => is<boolean>()(b));
/*p32*/ pipeline([1], { transform(chunk, controller: TransformStreamDefaultController<string>) { is<number>()(chunk); controller.enqueue("a"); } }, (s) => is<string>()(s));
/*p33*/ pipeline([1], { transform(chunk, controller) { is<number>()(chunk); controller.enqueue(chunk); } }, (x) => is<unknown>()(x));
/*p34*/ pipeline([1], stage({ transform: (chunk, controller: TransformStreamDefaultController<string>) => controller.enqueue(chunk.toFixed()) }), map((s) => s.length), (n) => is<number>()(n));
/*p34b*/ pipeline([1], { transform: (chunk: number, controller: TransformStreamDefaultController<string>) => controller.enqueue(chunk.toFixed()) }, map((s) => s.length), (n) => is<number>()(n));
/*p35*/ pipeline([1], { flush(controller: TransformStreamDefaultController<number>) { controller.enqueue(1); } }, (n) => is<number>()(n));
/*p36*/ pipeline(bytes, new CompressionStream("gzip"), new DecompressionStream("gzip"), new TextDecoderStream(), lines(), (l) => is<string>()(l));
/*p37*/ pipeline(["a"], new TextEncoderStream(), (b) => b.byteLength);
/*p38*/ pipeline(["a"], new TransformStream<string, number>(), (n) => is<number>()(n));
/*p39*/ pipeline([1], fuse(map((n: number) => n + 1), map((n) => `${n}`)), (s) => is<string>()(s));
/*p40*/ pipeline(["a"], anything, (x) => is<unknown>()(x));
declare const domStage: NonNullable<ConstructorParameters<typeof TransformStream<number, string>>[0]>;
/*p41*/ pipeline([1], domStage, (s) => is<string>()(s));
/*p42*/ pipeline([1], map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n),
  map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), (n) => is<number>()(n), { signal });
/*p43*/ pipeline(new ReadableStream<number>(), map((n) => n), map((n) => `${n}`), map((n) => n), map((n) => n.length), filter((n) => n > 1), take(1), batch(2), flatMap((n) => n), tap((n) => n.toFixed()), map((n) => n),
  map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => `${n}`), (n) => is<string>()(n));
/*p44*/ pipeline(["a"] as (string | Uint8Array)[], lines(), (l) => is<string>()(l));
/*p45*/ pipeline([1] as (number | string)[], map((n: number | string | boolean) => `${n}`), (l) => is<string>()(l));
export function generic<T>(source: PipelineSource<T>, stage: PipelineStage<T, string>, sink: PipelineSink<string>, options?: PipelineOptions) {
  /*p46*/ return [pipeline(source, stage, sink), pipeline(source, stage, map((s) => s.length), (n) => is<number>()(n), options!)];
}
const wideOptions: { signal: AbortSignal } = { signal };
/*p47*/ pipeline([1], map((n) => n), (n) => is<number>()(n), wideOptions);
/*p48*/ pipeline([1], (n) => is<number>()(n), {});
/*p49*/ pipeline([1], map((n) => n), () => {}, undefined as unknown as PipelineOptions);

// ---- sinks
/*p50*/ pipeline(["a"], strings);
/*p51*/ pipeline(["a"], strings, { signal });
/*p52*/ pipeline(["a"], wide);
/*p53*/ pipeline([1], map((n) => `${n}`), strings, { signal });
/*p54*/ pipeline([1], map((n) => `${n}`), writer((s) => s.length));
/*p55*/ pipeline([1], map((n) => `${n}`), async (s) => { is<string>()(s); await 0; }, { signal });
/*p56*/ pipeline([1], map((n) => `${n}`), new WritableStream({ write(s) { is<string>()(s); } }));
/*p57*/ pipeline(["a"], console.log);
/*p58*/ pipeline(["a"], map((s) => s.length), console.log, { signal });
/*p59*/ pipeline(["a"], (s: string | number) => s);
/*p60*/ pipeline(["a"], map((s) => s), (s) => { throw new Error(s); });
/*p61*/ pipeline(["a"], map((s) => s), (s) => JSON.parse(s), { signal });
/*p62*/ pipeline(["a"], new WritableStream<string>(), { signal });
/*p63*/ pipeline(["a"], map((s) => s), anything);
/*p64*/ pipeline(["a"], new WritableStream());

/*p78*/ export const collect = <T>(source: PipelineSource<T>, keep: (chunk: T) => boolean): Promise<T[]> => toArray(source, filter(keep), map((x) => x), take(1));
/*p79*/ export const pairs = <T, U>(source: Iterable<T>, fn: (chunk: T) => U, sink: (chunk: U[]) => void) => pipeline(source, map(fn), batch(2), sink);
/*p80*/ pipeline(rows, map((r) => r), filter((r) => r.id > 1), (r) => is<Row>()(r));
/*p81*/ pipeline([true], map((b) => b), (b) => is<boolean>()(b));
/*p82*/ pipeline([1 as number | undefined], map((n) => n ?? null), (n) => is<number | null>()(n));

// ---- gatherers and fuse
/*p65*/ is<Promise<string[]>>()(toArray([1], map((n) => `${n}`)));
/*p66*/ is<Promise<string[]>>()(toArray([1], map((n) => `${n}`), { signal }));
/*p67*/ is<Promise<number[]>>()(toArray([1]));
/*p68*/ is<Promise<number[]>>()(toArray([1], { signal }));
/*p69*/ is<Promise<Row | undefined>>()(first(rows, filter((r) => r.id > 1)));
/*p70*/ is<Promise<string>>()(toText([1], map((n) => `${n}`), { signal }));
/*p71*/ is<Promise<string>>()(toText(bytes));
/*p72*/ is<Promise<string>>()(toText(bytes, new CompressionStream("gzip")));
/*p73*/ is<Promise<any[]>>()(toArray(body));
/*p74*/ is<Promise<string[]>>()(toArray(body, lines()));
/*p75*/ is<ReadableWritablePair<string, number>>()(fuse(map((n: number) => n), map((n) => `${n}`), { writableStrategy: { highWaterMark: 2, size: (n) => { is<number>()(n); return 1; } } }));
/*p76*/ is<ReadableWritablePair<string, string | Uint8Array>>()(fuse(lines()));
/*p77*/ is<ReadableWritablePair<number, string | Uint8Array>>()(fuse(lines(), map((l) => l.length), filter((n) => n > 1), { readableStrategy: { size: (n) => n } }));

// ---- compose and stage
const words = compose(lines(), flatMap((line) => line.split(" ")), filter((word) => word !== ""));
/*p83*/ is<Dictionary<string | Uint8Array, string>>()(words);
/*p84*/ pipeline(["a b"], words, map((word) => word.length), (n) => is<number>()(n));
/*p85*/ pipeline([1], compose(map((n: number) => `${n}`), map((s) => s.length)), (n) => is<number>()(n));
/*p86*/ pipeline([1], compose(map((n) => `${n}`), map((s) => s.length)), (n) => is<number>()(n));
/*p87*/ pipeline(["a", 1], compose(filter(isWord)), compose(), compose(take(1)), (s) => is<string>()(s));
declare const doublings: Dictionary<number, number>[];
/*p88*/ pipeline([1], compose(doublings), compose([...doublings, ...doublings]), (n) => is<number>()(n));
/*p89*/ is<ReadableWritablePair<number, number>>()(fuse(compose(doublings)));
/*p90*/ is<ReadableWritablePair<string, number>>()(fuse(compose(compose(map((n: number) => n), map((n) => `${n}`)), map((s) => s + "!"))));
declare const anyStages: Dictionary[];
/*p91*/ pipeline([1], compose(anyStages), (x) => is<any>()(x));
/*p92*/ new TransformStream(compose(map((n: number) => `${n}`))).readable satisfies ReadableStream<string>;
/*p93*/ is<Dictionary<number, string>>()(stage({ transform(chunk: number, controller: TransformStreamDefaultController<string>) { controller.enqueue(chunk.toFixed()); } }));
/*p94*/ export const named = <T>(key: (chunk: T) => string) => compose(filter((chunk: T) => key(chunk) !== ""), map((chunk) => ({ key: key(chunk), chunk })), batch(2));
/*p95*/ is<Dictionary<Row, { key: string; chunk: Row }[]>>()(named((row: Row) => row.name));

// ---- options, bodies, probes
/*p96*/ pipeline([1], map((n) => `${n}`), (s) => is<string>()(s), { signal, preventClose: true, preventAbort: false, preventCancel: true });
/*p97*/ pipeline([1], map((n) => `${n}`), strings, { preventClose: true });
/*p98*/ pipeline([1], (n) => is<number>()(n), { preventCancel: true as boolean });
/*p99*/ pipeline(new Blob(["a"]), lines(), (l) => is<string>()(l));
/*p100*/ export const response = async () => pipeline(await fetch("/"), lines(), (l) => is<string>()(l), { signal });
/*p101*/ export const request = (asked: Request) => pipeline(asked, new DecompressionStream("gzip"), lines(), (l) => is<string>()(l));
const look = probe();
/*p102*/ pipeline(look.reader([1, 2]), look.transformer(map((n: number) => `${n}`)), (s) => is<string>()(s));
/*p103*/ pipeline(look.reader(rows), look.transformer(map((r) => r.name)), look.writer((s) => is<string>()(s)));
/*p104*/ pipeline(look.reader((async function* () { yield 1; })()), map((n: number) => n), look.writer((n) => is<number>()(n)), { signal });
/*p105*/ reader(look.reader((size, { signal }) => { is<number>()(size); is<AbortSignal>()(signal); return [1, 2]; })).pipeThrough(fuse(map((n: number) => n)));
/*p106*/ is<Promise<unknown>>()(toJson(bytes, { maxLength: 10, signal }));
/*p107*/ is<Promise<number[]>>()(toArray([1], map((n) => n), { maxChunks: 10 }));

// ---- functions with parameters of their own; the second is an index
/*p108*/ pipeline(["1"], map(parseInt), (n) => is<number>()(n));
/*p109*/ pipeline(["1"], map(Number), (n) => is<number>()(n));
/*p110*/ pipeline(["{}"], map((text) => JSON.parse(text)), (x) => is<any>()(x));
/*p111*/ pipeline(["a"], map(encodeURIComponent), map((s) => s.toUpperCase()), (s) => is<string>()(s));
/*p112*/ pipeline(rows, map((row, index) => is<number>()(index)), () => {});

// ---- other sources, stages and ends
/*p113*/ pipeline(concat([1], () => ["a"]), (x) => is<string | number>()(x));
/*p114*/ pipeline(zip(["a"], [1]), map(([s, n]) => s.length + n), (n) => is<number>()(n));
/*p115*/ pipeline(merge(new ReadableStream<string>(), ["a"]), (s) => is<string>()(s));
/*p116*/ pipeline(bytes, parseNdjson<Row>(), batchBy((row) => row.name, 10), ({ key, chunks }) => { is<string>()(key); is<Row[]>()(chunks); });
/*p117*/ pipeline(rows, takeWhile((row) => row.id < 3), map((row) => row.name), (s) => is<string>()(s));
/*p118*/ pipeline(["a,b"], split(","), (s) => is<string>()(s));
/*p119*/ pipeline(bytes, rechunk(10), (b) => b.byteLength);
/*p120*/ is<Promise<Row | undefined>>()(last(rows, { signal }));
/*p121*/ export const text = async (): Promise<string> => toText(await fetch("/"), { maxLength: 10 });
/*p122*/ toBytes(rows, map((row) => row.name)).then((all) => new Blob([all]));
/*p123*/ is<Promise<string[]>>()(toArray(rows, map((row, index, context) => { is<number>()(index); is<AbortSignal>()(context.signal); return row.name; })));
/*p124*/ is<Promise<Row[]>>()(toArray(rows, filter((row, _index, { signal }) => !signal.aborted && row.id > 0), tap((row, index) => row.id + index)));
/*p125*/ is<Promise<number[]>>()(toArray(rows, parallel((row, _index, { signal }) => signal.aborted ? 0 : row.id, { concurrency: 2 }), scan((sum: number, id: number, index, { signal }) => signal.aborted ? index : sum + id, 0)));

// ---- options that may be missing
declare const maybe: { options?: PipelineOptions; signal?: AbortSignal };
/*p127*/ pipeline([1], map((n) => `${n}`), (s) => is<string>()(s), maybe.options);
/*p128*/ pipeline([1], (n) => is<number>()(n), maybe.options);
/*p129*/ pipeline([1], map((n) => `${n}`), strings, { signal: maybe.signal });
/*p130*/ is<Promise<string[]>>()(toArray([1], map((n) => `${n}`), { signal: maybe.signal }));
/*p131*/ is<Promise<number[]>>()(toArray([1], maybe.options && { signal }));

// ---- what is not known is `unknown`
/*p132*/ is<Promise<unknown[]>>()(toArray(bytes, parseNdjson()));
/*p133*/ is<Dictionary<string | Uint8Array, Row>>()(parseNdjson<Row>());
/*p134*/ export const readRows: Dictionary<string | Uint8Array, Row> = parseNdjson();

// ---- streams, also those made in place
/*p135*/ is<Promise<number[]>>()(toArray(new ReadableStream<number>()));
/*p136*/ is<Promise<(number | undefined)[]>>()(toArray(new ReadableStream<number | undefined>()));
/*p137*/ is<ReadableStream<number | string>>()(merge(new ReadableStream<number>(), ["a"]));
/*p138*/ is<ReadableStream<[number, string]>>()(zip(new ReadableStream<number>(), ["a"]));
/*p139*/ is<Promise<any[]>>()(toArray(new ReadableStream({ pull(controller) { controller.enqueue(1); } })));
/*p140*/ is<Promise<unknown[]>>()(toArray(new ReadableStream<unknown>()));
/*p141*/ export const ofStream = <T>(stream: ReadableStream<T>): Promise<T[]> => toArray(stream);
/*p142*/ export const ofSource = <T>(source: PipelineSource<T>): Promise<T[]> => toArray(source);
/*p143*/ is<Promise<Row | undefined>>()(first(timeout(new ReadableStream<Row>(), { idleMs: 1 })));
/*p144*/ is<ReadableStream<Row>[]>()(tee(new ReadableStream<Row>(), 2));
/*p145*/ pipeline(["a"], { readable: new ReadableStream<number>(), writable: strings }, (n) => is<number>()(n));

// ---- every option takes `undefined` for its default, under exactOptionalPropertyTypes too
declare const none: undefined;
/*p146*/ pipeline([1], (n) => is<number>()(n), { signal: none, preventClose: none, preventAbort: none, preventCancel: none });
/*p147*/ pipeline([1], parallel((n) => n, { concurrency: 2, ordered: none }), batch(2, { maxBytes: none, maxWaitMs: none }), (n) => is<number[]>()(n));
/*p148*/ pipeline([1], batchBy((n) => n, 2, { maxWaitMs: none, maxKeys: none }), ({ chunks }) => is<number[]>()(chunks));
/*p149*/ pipeline(["a"], lines({ maxLength: none }), split(",", { maxLength: none }), parseNdjson({ maxLength: none }), (x) => is<unknown>()(x));
/*p150*/ is<ReadableStream<number>>()(reader([1], { batchSize: none, highWaterMark: none, size: none }));
/*p151*/ is<WritableStream<number>>()(writer((_: number) => {}, { concurrency: none, close: none, abort: none, release: none, highWaterMark: none, size: none }));
/*p152*/ is<ReadableStream<number>>()(retry(() => [1], { attempts: none, delayMs: none, maxDelayMs: none, shouldRetry: none, signal: none }));
/*p290*/ pipeline(retry(({ signal }) => fetch("u", { signal })), lines(), (line) => is<string>()(line));
/*p291*/ is<ReadableStream<string>>()(retry<string>(({ last }) => [last?.trim() ?? ""]));
/*p292*/ is<ReadableStream<number>>()(retry(({ attempt }) => [Promise.resolve(attempt)]));
/*p293*/ pipeline([1], flatMap((n) => [Promise.resolve(n), n]), (n) => is<number>()(n));
/*p294*/ is<ReadableStream<number>>()(reader([Promise.resolve(1), 2]));
/*p153*/ is<ReadableStream<number>>()(timeout([1], { idleMs: 1, totalMs: none }));
/*p154*/ is<ReadableStream<number>[]>()(tee([1], 2, { highWaterMark: none }));
/*p155*/ is<ReadableStream<Event>>()(fromEvents(new EventTarget(), "a", { highWaterMark: none, overflow: none, until: none, signal: none }));
/*p156*/ is<number>()(channel<number>({ highWaterMark: none, size: none, overflow: none }).dropped);
/*p157*/ is<Promise<number[]>>()(toArray([1], { signal: none, maxChunks: none }));
/*p158*/ is<Promise<string>>()(toText(["a"], { signal: none, maxLength: none }));
/*p159*/ toBytes(["a"], { signal: none, maxBytes: none });
/*p160*/ is<ReadableWritablePair<number, number>>()(fuse(map((n: number) => n), { writableStrategy: none, readableStrategy: { highWaterMark: none, size: none } }));
/*p161*/ probe({ name: none, capacity: none, identify: none, onEvent: none, now: none }).transformer(map((n: number) => n), { name: none, writableStrategy: none, readableStrategy: none });
/*p162*/ zip([1], ["a"], { mode: none });
/*p200*/ pipeline(rows, distinct({ key: (row) => row.id, maxKeys: none, atLimit: none }), changes((row) => row.name), (row) => is<Row>()(row));
/*p201*/ pipeline(rows, distinct(), changes(), limitRate({ perSecond: 1, burst: none, cost: (row) => row.id }), (row) => is<Row>()(row));
/*p202*/ pipeline(rows, pairwise(), map(([a, b]) => a.id + b.id), sliding(2, 1), (n) => is<number[]>()(n));
/*p203*/ pipeline(rows, map((row) => row.name), intersperse(","), (text) => is<string>()(text));
/*p204*/ pipeline([1], scan((a, b) => a + b), (n) => is<number>()(n));
/*p205*/ is<Promise<number>>()(count(rows, map((row) => row.name), { signal }));
/*p206*/ is<Promise<Row | undefined>>()(find(rows, (row) => row.id > 1));
/*p207*/ is<Promise<string | undefined>>()(find(rows, map((row) => row.name), (name, index, { signal }) => name.length > index && !signal.aborted, { signal }));
/*p208*/ is<Promise<boolean>>()(some(rows, async (row) => row.id > 1));
/*p209*/ is<Promise<boolean>>()(every(rows, map((row) => row.name), (name) => name.length > 1, { signal }));
/*p210*/ is<Promise<number>>()(reduce(rows, (sum, row) => sum + row.id, 0));
/*p211*/ is<Promise<number>>()(reduce(rows, map((row) => row.name), (sum, name) => sum + name.length, 0, { signal }));
/*p212*/ is<Promise<Map<string, number>>>()(reduce(rows, map((row) => row.name), (all, name) => all.set(name, 1), { seed: () => new Map<string, number>() }));
/*p213*/ is<Promise<string>>()(reduce([1], async (text: string, n) => text + n.toFixed(), ""));
/*p214*/ is<ReadableStream<Row>>()(mergeBy({ key: (row: Row) => row.id }, rows, rows));
/*p215*/ is<ReadableStream<number>>()(mergeBy({ compare: (a: number, b: number) => a - b }, [1], new ReadableStream<number>()));
/*p216*/ is<ReadableStream<number>>()(interval(5));
/*p218*/ export const joined = () => { const { join, branchCount } = hub(rows, { highWaterMark: none, overflow: none, replay: none, runAlone: none }); pipeline(join({ overflow: "dropOldest" }), (row) => is<Row>()(row)); is<number>()(join().dropped); is<number>()(branchCount); };
/*p219*/ pipeline(rows, groupBy((row) => row.id, (id) => map((row: Row) => `${row.name}${id.toFixed()}`), { maxKeys: none, idleMs: none }), (text) => is<string>()(text));
/*p217*/ export const peeked = async () => { const { chunks, source } = await peek(rows, 2); is<readonly Row[]>()(chunks); is<ReadableStream<Row>>()(source); };
/*p220*/ pipeline(rows, attempt((row) => row.name), (name) => is<string>()(name));
/*p221*/ pipeline(rows, attempt((row) => row.name, { attempts: none, delayMs: none, maxDelayMs: none, shouldRetry: none, onError: none }), (name) => is<string>()(name));
/*p222*/ pipeline(rows, attempt(map((row: Row) => row.name), { onError: (reason, row, index) => { is<unknown>()(reason); is<Row>()(row); is<number>()(index); return "skip"; } }), (name) => is<string>()(name));
/*p223*/ pipeline(rows, attempt(async (row) => row.name, { onError: async (reason, row) => { await Promise.resolve(row.id); return "skip"; } }), (name) => is<string>()(name));
/*p224*/ pipeline(rows, attempt((row: Row) => row.name, { onError: (_, row) => row.id > 1 ? { chunk: row.id } : "fail" }), (x) => is<string | number>()(x));
/*p225*/ pipeline(rows, attempt(compose(map((row: Row) => row.id), filter((n) => n > 1)), { attempts: 2 }), map((n) => n + 1), (n) => is<number>()(n));
/*p226*/ pipeline(rows, attempt(parallel((row: Row) => Promise.resolve(row.name), { concurrency: 2 })), (name) => is<string>()(name));
/*p227*/ pipeline(rows, attempt(map((row) => row.name)), (name) => is<string>()(name));
/*p228*/ pipeline(rows, attempt(parallel((row) => row.name, { concurrency: 2 }), { attempts: 2 }), map((name) => name.length), (n) => is<number>()(n));
/*p230*/ pipeline(bytes, compose(new TextDecoderStream(), lines()), (line) => is<string>()(line));
/*p231*/ is<Dictionary<number, string>>()(compose(map((n: number) => n), () => new TransformStream<number, string>()));
/*p232*/ is<ReadableWritablePair<string, number>>()(fuse(map((n: number) => n), () => new TransformStream<number, string>()));
/*p233*/ pipeline([1], () => new TransformStream<number, string>(), map((s) => s.length), (n) => is<number>()(n));
/*p234*/ pipeline(bytes, compose(() => new DecompressionStream("gzip"), lines()), (line) => is<string>()(line));
/*p235*/ pipeline([1], fuse(new TransformStream<number, boolean>(), map((b) => `${b}`), { readableStrategy: none }), (s) => is<string>()(s));

// ---- async generators as stages
declare function parsed(source: AsyncIterable<string>, radix: number): AsyncGenerator<number>;
/*p300*/ is<Promise<string[]>>()(toArray([1], async function* (source) { for await (const n of source) { is<number>()(n); yield `${n}`; } }));
/*p301*/ pipeline([1], stage(async function* (source: AsyncIterable<number>) { for await (const n of source) yield `${n}`; }), map((s) => s.length), (n) => is<number>()(n));
/*p302*/ pipeline([1], async function* (source) { for await (const n of source) { is<number>()(n); yield `${n}`; } }, console.log);
/*p303*/ pipeline([1], async function* (source: AsyncIterable<number>) { for await (const n of source) yield `${n}`; }, (s) => is<string>()(s));
/*p304*/ pipeline([1], stage(async function* (source) { for await (const n of source) { is<number>()(n); yield `${n}`; } }), (s) => is<string>()(s));
/*p305*/ pipeline([1], async function* (source: AsyncIterable<number>) { for await (const n of source) yield `${n}`; }, (s) => is<string>()(s), { signal });
/*p306*/ is<ReadableWritablePair<string, number>>()(fuse(map((n: number) => n), async function* (source: AsyncIterable<number>) { for await (const n of source) yield `${n}`; }));
/*p307*/ is<Dictionary<number, string>>()(compose(map((n: number) => n), async function* (source: AsyncIterable<number>) { for await (const n of source) yield `${n}`; }));
/*p308*/ is<Promise<number[]>>()(toArray(["a"], stage((source) => parsed(source, 16)), filter((n) => n > 1)));
/*p309*/ pipeline(["a"], stage((source) => parsed(source, 16)), map((n) => n.toFixed()), (s) => is<string>()(s));
/*p310*/ pipeline([1], stage(async function* (source, { signal }) { is<AbortSignal>()(signal); yield* source; }), (n) => is<number>()(n));

// ---- what must not compile, marked at the argument that is wrong
pipeline(
  [1],
  // @ts-expect-error n1 no sink
  map((x) => x),
);
pipeline(
  [1],
  (x: number) => x,
  // @ts-expect-error n2 typo in options
  { singal: signal },
);
// @ts-expect-error n90 a text is no source
pipeline("text", () => {});
// @ts-expect-error n91 nor is one that is made of a chunk
flatMap((text: string) => text);
// @ts-expect-error n92 nor in a join
merge("text");
pipeline(
  // @ts-expect-error n3 a promise is no source
  Promise.resolve([1]),
  (k: unknown) => k,
);
pipeline(
  [1],
  // @ts-expect-error n4 a node duplex, neither stage nor sink
  {} as import("node:stream").PassThrough,
);
pipeline(
  [1, 2],
  // @ts-expect-error n5 a bare function
  (x: number) => x * 10,
  (x) => x,
);
pipeline(
  [1, 2],
  map((n) => n),
  // @ts-expect-error n7 a bare function between stages
  (x: number) => x * 10,
  map((x) => x),
  (x) => x,
);
pipeline(
  [1, 2],
  // @ts-expect-error n8 map uncalled
  map,
  (x) => x,
);
pipeline(
  [1, 2],
  // @ts-expect-error n12 a ReadableStream
  body,
  () => {},
);
pipeline(
  [1, 2],
  {
    // @ts-expect-error n13 a typo
    tranform() {},
  },
  () => {},
);
pipeline(
  [1, 2],
  // @ts-expect-error n14 takes another type
  map((s: string) => s.length),
  () => {},
);
pipeline(
  [1, 2],
  map((n) => `${n}`),
  // @ts-expect-error n15 takes another type, in the middle
  map((n: number) => n),
  map((n) => n),
  () => {},
);
pipeline(
  [1, 2],
  map((n) => `${n}`),
  // @ts-expect-error n16 a sink of another type
  (n: number) => n,
);
pipeline(
  [1, 2],
  map((n) => `${n}`),
  // @ts-expect-error n17 a sink of another type, with options
  (n: number) => n,
  { signal },
);
pipeline(
  [1, 2],
  // @ts-expect-error n18 a stream of another type
  strings,
);
pipeline(
  ["a", 1],
  // @ts-expect-error n19 a stream of a narrower type
  strings,
);
pipeline(
  [1, 2],
  // @ts-expect-error n21 options but no sink
  map((n) => n),
  { signal },
);
// @ts-expect-error n22 nothing but a source
pipeline([1]);
pipeline(
  [1],
  // @ts-expect-error n23 a sink before the sink
  strings,
  () => {},
);
pipeline(
  [1],
  () => {},
  // @ts-expect-error n25 a signal is not options
  signal,
);
pipeline(
  [1],
  () => {},
  {
    // @ts-expect-error n26 not a signal
    signal: 1,
  },
);
pipeline(
  [1],
  map((n) => n),
  (n) => n,
  {
    signal,
    // @ts-expect-error n27 an unknown option beside a known one
    concurrency: 1,
  },
);
pipeline(
  [1],
  // @ts-expect-error n29 a pair that takes another type
  new TextEncoderStream(),
  () => {},
);
pipeline(
  [1],
  // @ts-expect-error n31 a null stage
  null,
  () => {},
);
pipeline(
  [1],
  // @ts-expect-error n32 a class, not an instance
  Upper,
  () => {},
);
pipeline(
  rows,
  map((r) => r.name),
  // @ts-expect-error n34 the sink's chunk is typed
  (name) => name.foo,
);
pipeline(
  [1], map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n),
  map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n),
  // @ts-expect-error n36 stage 18 of 20
  map((n: string) => n),
  map((n) => n), map((n) => n), () => {},
);
toArray(
  [1],
  // @ts-expect-error n37 a bare function
  (x: number) => x,
);
toText(
  // @ts-expect-error n39 text of numbers
  [1],
);
toText(
  [1],
  // @ts-expect-error n40 text of numbers from a stage
  map((n) => n + 1),
);
toText(
  ["a"],
  map((s) => s.length),
  // @ts-expect-error n41 text of numbers, marked at the end of the chain
  { signal },
);
first(
  [1],
  // @ts-expect-error n42 a stage of another type
  map((s: string) => s),
  map((s) => s),
);
fuse(
  map((n: number) => n),
  // @ts-expect-error n43 a typo in strategies
  { writableStrategi: {} },
);
fuse(
  // @ts-expect-error n45 a bare function
  (n: number) => n,
);
fuse(
  map((n: number) => n),
  // @ts-expect-error n46 fuse takes no pairs
  new TextDecoderStream(),
);
// @ts-expect-error n48 no stage
fuse();
compose(
  map((n: number) => n),
  // @ts-expect-error n49 a stage of another type
  map((s: string) => s),
);
fuse(
  map((n: number) => n),
  // @ts-expect-error n52 a function that makes a pair of other chunks
  () => new TransformStream<string, string>(),
);
compose(
  map((n: number) => n),
  // @ts-expect-error n51 options
  { highWaterMark: 1 },
);
compose(
  // @ts-expect-error n52 stages that do not meet in an array
  [map((n: number) => `${n}`), map((n: number) => n)],
);
pipeline(
  [1],
  map((n) => n),
  (n) => n,
  {
    // @ts-expect-error n55 not a boolean
    preventClose: 1,
  },
);
pipeline(
  ["1"],
  // @ts-expect-error n56 the index is no reviver
  map(JSON.parse),
  (x) => x,
);
toArray(
  [1],
  map((n) => n),
  // @ts-expect-error n59 the limit of another end
  { maxLength: 1 },
);
pipeline(
  // @ts-expect-error n60 a promise of a response
  fetch("/"),
  lines(),
  (line: string) => line,
);
stage(
  // @ts-expect-error n61 a function
  (n: number) => n,
);
pipeline(
  [1], map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n),
  map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), map((n) => n), () => {},
  // @ts-expect-error n63 21 stages and options: group them with compose
  { signal },
);
pipeline(
  ["a"],
  // @ts-expect-error n64 no sink, though its function is typed
  map((text) => text.length),
);
const notBoolean = { signal, preventClose: "yes" };
pipeline(
  [1],
  (n) => n,
  // @ts-expect-error n66 options of another type
  notBoolean,
);
// limits, kept here so that a change in the compiler shows
pipeline(
  [1],
  { transform: (chunk, controller: TransformStreamDefaultController<string>) => controller.enqueue(chunk.toFixed()) },
  // @ts-expect-error l1 a literal with an unannotated chunk is looked at after the calls behind it
  map((s) => s.length),
  () => {},
);
declare const passes: Dictionary<number, number>[];
pipeline(
  [1],
  // @ts-expect-error l2 a spread array
  ...passes,
  () => {},
);
find(
  rows,
  // @ts-expect-error n200 a property that the chunk has not
  (row) => row.foo,
);
// @ts-expect-error l200 a chunk of another type: the seed may be last or the options, so the call is marked
reduce([1], map((n) => `${n}`), (sum: number, n: number) => sum + n, 0);
pipeline(
  [1],
  // @ts-expect-error n202 text alone can be joined
  intersperse(","),
  () => {},
);
pipeline(
  [1],
  // @ts-expect-error n300 a synchronous generator function
  function* (source: AsyncIterable<number>) {
    yield 1;
  },
  map((n) => n),
  () => {},
);
pipeline(
  ["a"],
  // @ts-expect-error n301 a generator function of other chunks
  async function* (source: AsyncIterable<number>) {
    yield* source;
  },
  map((n) => n),
  () => {},
);
pipeline(
  [1],
  async function* (source) {
    for await (const n of source) yield `${n}`;
  },
  // @ts-expect-error l300 a function whose source is unannotated is looked at after the calls behind it
  map((s) => s.length),
  () => {},
);
pipeline(
  rows,
  // @ts-expect-error n220 no answer that there is
  attempt((row: Row) => row.name, { onError: () => "ignore" }),
  () => {},
);
declare const bodyOfNode: ReadableStream<any> | null;
// @ts-expect-error n400 a body that may be null, whose chunks are any
pipeline(bodyOfNode, map((chunk) => chunk), () => {});
/*p400*/ pipeline(bodyOfNode!, map((chunk) => chunk), () => {});
