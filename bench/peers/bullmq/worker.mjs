// Small tasks through BullMQ. Each line on standard input is an order, each answer a line of JSON:
//   {"do": "throughput", "tasks": 20000, "slots": 250}  -> {"enqueued": per second, "done": per second}
//   {"do": "latency", "tasks": 100, "pause": 0.02}       -> {"ms": [from asking to starting, ...]}
// Completed jobs are removed at once, which is the least that BullMQ can do.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'

const connection = { host: '127.0.0.1', port: Number(process.argv[2]) }
const queue = new Queue('small', { connection, defaultJobOptions: { removeOnComplete: true } })
const BATCH = 1000

async function throughput({ tasks, slots }) {
  const began = performance.now()
  for (let n = 0; n < tasks; n += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => ({ name: 'small', data: { n: n + i } }))
    await queue.addBulk(batch)
  }
  const enqueued = performance.now()
  let left = tasks
  const worker = new Worker('small', async () => {}, { connection, concurrency: slots })
  await new Promise((resolve) => worker.on('completed', () => --left || resolve()))
  const done = performance.now()
  await worker.close()
  return { enqueued: (1000 * tasks) / (enqueued - began), done: (1000 * tasks) / (done - enqueued) }
}

async function latency({ tasks, pause }) {
  let started
  const worker = new Worker('small', async () => started(performance.now()), { connection })
  await worker.waitUntilReady()
  const ms = []
  for (let n = 0; n < tasks; n += 1) {
    await sleep(1000 * pause)
    const asked = performance.now()
    const start = new Promise((resolve) => (started = resolve))
    await queue.add('small', { n })
    ms.push((await start) - asked)
  }
  await worker.close()
  return { ms }
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  const answer = order.do === 'latency' ? await latency(order) : await throughput(order)
  console.log(JSON.stringify(answer))
}
await queue.close()
