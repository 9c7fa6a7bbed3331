/** A worker of one stage that needs nothing but Node: `node worker.ts`. */

import { hostname } from "node:os";
import { Towpath, work } from "./protocol.ts";
import { STAGE, saveMarkdown } from "./stage.ts";

const towpath = new Towpath(process.env.TOWPATH_URL ?? "http://127.0.0.1:8000", process.env.TOWPATH_API_KEY);
const worker = `node:${hostname()}:${process.pid}`;
const lease_seconds = Number(process.env.LEASE_SECONDS ?? 30);
let stopping = false;
process.once("SIGTERM", () => (stopping = true));
process.once("SIGINT", () => (stopping = true));

console.log(`${worker} serves ${STAGE}`);
while (!stopping) {
  try {
    for (const job of await towpath.claim({ worker, stages: [STAGE], lease_seconds, wait_seconds: 5 })) {
      console.log(`claimed ${job.job} epoch ${job.epoch}`);
      console.log(`${job.job} epoch ${job.epoch}: ${await work(towpath, job, saveMarkdown)}`);
    }
  } catch (error) {
    console.log(`trying again: ${error}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
