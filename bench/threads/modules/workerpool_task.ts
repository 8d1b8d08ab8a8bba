import workerpool from "workerpool";
import runBatch from "./pool_task.ts";

workerpool.worker({ runBatch });
