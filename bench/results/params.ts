/** One value of a workload's parameter. */
export type ParamValue = string | number;

/** The parameters of one case, such as `{ passes: 100 }`. */
export type Params = Readonly<Record<string, ParamValue>>;
