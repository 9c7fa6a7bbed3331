/** The same stage as a BullMQ worker: BullMQ delivers a job, the protocol takes its lease. `node bullmq-worker.ts`. */

import { Worker } from "bullmq";
import { hostname } from "node:os";
import { Towpath, work } from "./protocol.ts";
import { STAGE, saveMarkdown } from "./stage.ts";

const towpath = new Towpath(process.env.TOWPATH_URL ?? "http://127.0.0.1:8000", process.env.TOWPATH_API_KEY);
const redis = new URL(process.env.TOWPATH_REDIS_URL ?? "redis://127.0.0.1:6379/0");
const name = `bullmq:${hostname()}:${process.pid}`;
const lease_seconds = Number(process.env.LEASE_SECONDS ?? 30);

const worker = new Worker(
  STAGE,
  async (delivery) => {
    // A delivery is an invitation: only the lease allows to write. One that comes twice or late gets no lease.
    const job_ids = [String(delivery.id).split(".")[0]];
    for (const job of await towpath.claim({ worker: name, stages: [STAGE], lease_seconds, job_ids })) {
      console.log(`claimed ${job.job} epoch ${job.epoch}`);
      console.log(`${job.job} epoch ${job.epoch}: ${await work(towpath, job, saveMarkdown)}`);
    }
  },
  {
    prefix: "towpath",
    concurrency: 4,
    connection: {
      host: redis.hostname,
      port: Number(redis.port || 6379),
      username: redis.username || undefined,
      password: redis.password ? decodeURIComponent(redis.password) : undefined,
      db: Number(redis.pathname.slice(1) || 0),
      tls: redis.protocol === "rediss:" ? {} : undefined,
      maxRetriesPerRequest: null,
    },
    // The ledger counts crashes, and decides about retries.
    maxStalledCount: 1_000_000,
  },
);
worker.on("error", (error) => console.log(`trying again: ${error.message}`));
console.log(`${name} serves ${STAGE}`);
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void worker.close());
