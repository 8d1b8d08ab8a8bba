/** Takes a value when a meter collects. */
export interface TakeValue {
  /** Notes a value, with what it is of. */
  observe(value: number, attributes?: Record<string, string>): void;
}

/** An instrument that asks for its values when they are collected. */
export interface ObservableInstrument {
  /** Has a function asked. */
  addCallback(callback: (take: TakeValue) => void): void;
  /** Has it asked no longer. */
  removeCallback(callback: (take: TakeValue) => void): void;
}

/** An instrument that counts values by their size. */
export interface HistogramInstrument {
  /** Notes a value, with what it is of. */
  record(value: number, attributes?: Record<string, string>): void;
}

/** What an instrument says of itself. */
export interface InstrumentOptions {
  /** What is measured. */
  description?: string;
  /** Its unit, by the Unified Code for Units of Measure. */
  unit?: string;
  /** Where the buckets of a histogram end, if nothing else is configured. */
  advice?: { explicitBucketBoundaries?: number[] };
}

/** What `observe` needs of a `Meter` of OpenTelemetry. */
export interface ProbeMeter {
  /** Makes an instrument for values that go up and down. */
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableInstrument;
  /** Makes an instrument for values that only grow. */
  createObservableCounter(name: string, options?: InstrumentOptions): ObservableInstrument;
  /** Makes an instrument for values of which there are many. */
  createHistogram(name: string, options?: InstrumentOptions): HistogramInstrument;
}
