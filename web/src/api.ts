// The dashboard's API: every shape that travels, and the calls. The server documents the same in /api/v1/openapi.json.
// Money is in dollars, shares are fractions of 1, times are RFC 3339.

import {clusterTime} from './words';

export type Tier = 'Critical' | 'High' | 'Normal' | 'Low' | 'Background';
export const tiers: readonly Tier[] = ['Critical', 'High', 'Normal', 'Low', 'Background'];

export interface Session {
  user: string;
  // What this user may do, by the cluster's own rules.
  rights: {view: boolean; approve: boolean; abort: boolean; pause: boolean};
  csrf: string;
  // False where no login is asked for (a demo on loopback).
  login: boolean;
}

// What is shown on every page.
export interface Status {
  decidedAt: string;
  planner: 'SLO' | 'Requests';
  mode: 'Observe' | 'Act';
  approval: 'Manual' | 'Automatic';
  paused: boolean;
  leader: string;
  plan: {hash: string; hourlySavings: number; victims: number; moves: number; expiresAt: string} | null;
  withheld: {reason: string; message: string} | null;
  run: {name: string; phase: string; since: string} | null;
  version: string;
}

export interface Overview extends Status {
  cluster: {nodes: number; pods: number; pending: number};
  hourlyCost: number;
  identifiedHourly: number;
  realizedHourly: number;
  agents: {answering: number; nodes: number};
  blocked: {reason: string; nodes: number; hourlyCost: number | null; message: string}[];
  history: HistoryPoint[]; // in the memory of this leader
  realized: {at: string; hourly: number}[]; // by the runs that the cluster has
}

export interface HistoryPoint {
  at: string;
  cost: number;
  identified: number;
  realized: number;
}

export type NodeState = 'steady' | 'victim' | 'survivor' | 'replacement' | 'cordoned' | 'unready' | 'leaving';

// Nodes travel in columns: ten thousand of them are one array for each property.
export interface NodeColumns {
  names: string[];
  pools: string[]; // names, by index in `pool`
  types: string[];
  reasons: string[];
  pool: number[];
  type: number[];
  spot: boolean[];
  price: (number | null)[];
  state: NodeState[];
  verdict: ('command' | 'eligible' | 'blocked')[];
  reason: number[];
  cpu: number[]; // allocatable cores
  cpuRequested: number[];
  cpuUsed: (number | null)[]; // measured; null: not known
  memory: number[]; // allocatable bytes
  memoryRequested: number[];
  memoryUsed: (number | null)[];
  pods: number[][]; // by tier, in the order of `tiers`
}

export interface Check {
  name: string;
  passed: boolean;
  message: string;
  subject: string;
}

export interface Move {
  namespace: string;
  name: string;
  uid: string;
  tier: Tier;
  from: string;
  to: string;
}

export interface Plan {
  hash: string;
  planner: 'SLO' | 'Requests';
  victims: string[];
  survivors: string[];
  replacement: {nodePool: string; instanceTypes: string[]; capacityTypes: string[]; zones: string[]; hourlyPrice: number} | null;
  moves: Move[];
  checks: Check[];
  predicted: {
    node: string;
    cores: number;
    cpuNow: number | null;
    cpu: number;
    memoryBytes: number;
    memoryNow: number | null;
    memory: number;
    pods: number;
  }[];
  hourlySavings: number;
  savingsKnown: boolean;
  approvable: boolean; // every check passed
  createdAt: string;
  expiresAt: string;
  dismissed: {by: string; reason: string; at: string} | null;
}

export interface Refusal {
  victims: string[];
  checks: Check[];
}

// What is published now, if a plan that somebody saw is not.
export interface PlanDifference {
  asked: string;
  published: {hash: string; victims: string[]; survivors: string[]; moves: number; hourlySavings: number; createdAt: string} | null;
}

export interface PlanAnswer {
  decidedAt: string;
  plan: Plan | null;
  withheld: {reason: string; message: string} | null;
  refusals: Refusal[];
}

export interface RunSummary {
  name: string;
  planHash: string;
  phase: string;
  reason: string;
  message: string;
  approvedBy: string;
  source: string;
  approvedAt: string;
  endedAt: string | null;
  victims: string[];
  evictions: number;
  hourlySavings: number;
}

export interface PressureSample {
  at: string;
  survivor: string;
  cpu: number | null;
  memory: number | null;
  io: number | null;
}

export interface Run extends RunSummary {
  decidedAt: string;
  survivors: string[];
  phases: {phase: string; at: string; reason: string}[];
  moves: (Move & {asked: string | null; left: string | null; replaced: string | null; blocked: string})[];
  pending: {pod: string; since: string}[];
  guards: {
    pressure: boolean; // false: decided on requests alone
    tripped: string;
    lateTrip: string;
    thresholds: {cpu: number; memory: number; io: number};
    samples: PressureSample[];
  };
  application: {label: string; limit: number; samples: {at: string; value: number | null}[]} | null;
  log: {at: string; text: string}[];
  predicted: {nodes: number; hourlySavings: number};
  achieved: {nodes: number; hourlySavings: number} | null;
}

export interface AuditRecord {
  at: string;
  actor: string;
  what: string;
  hash: string;
}

export interface Audit {
  run: string;
  valid: boolean;
  problem: string;
  records: AuditRecord[];
}

// The records of all runs in one, newest first.
export interface AuditTrail {
  complete: boolean; // false: only the newest runs
  chains: {run: string; valid: boolean; problem: string; records: number}[];
  records: (AuditRecord & {run: string})[];
}

export interface Gate {
  gate: string;
  passed: boolean;
  message: string;
  source: string;
}

export interface Explanation {
  name: string;
  verdict: string;
  reason: string;
  message: string;
  nodePool: string;
  instanceType: string;
  capacityType: string;
  zone: string;
  hourlyPrice: number | null;
  disruptionCost: number;
  gates: Gate[];
  obstacles: {namespace: string; name: string; nodes: {reason: string; count: number}[]; newNode: string}[];
  cheapestRejected: {instanceType: string; hourlyPrice: number; gap: number} | null;
  advice: string[];
  pods: {namespace: string; name: string; tier: Tier; cpuMillis: number; memoryBytes: number}[];
}

// Settings that can be tried. What is not there stays as it is.
export interface WhatIf {
  consolidationPolicy?: string;
  consolidateAfter?: string;
  consolidationSavingsThreshold?: number;
  consolidationGracePeriod?: string;
  utilizationThreshold?: number;
  minNodeLifetime?: string;
  allowUnownedPods?: boolean;
  protectSingleReplica?: boolean;
  minNodes?: number;
  cpuHeadroom?: number;
  memoryHeadroom?: number;
  cpuPressure?: number;
  memoryPressure?: number;
  ioPressure?: number;
}

export interface Decided {
  // Everything that could go, one after the other.
  victims: number;
  moves: number;
  hourlySavings: number;
  // What would be published.
  plan: {victims: string[]; moves: number; hourlySavings: number} | null;
  refused: string;
}

export interface WhatIfAnswer {
  before: Decided;
  after: Decided;
  yaml: string;
}

export interface Policy {
  name: string;
  yaml: string;
  effective: {setting: string; value: string; source: string}[];
  whatIf: Required<WhatIf>; // as it is now
}

// A refusal by the server, in its words.
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly detail: unknown = null,
  ) {
    super(message);
  }
}

// No answer at all.
export class Unreachable extends Error {}

let csrf = '';
// Called when the session is over: it expired, or another replica leads, which knows nothing of it.
let ended: () => void = () => undefined;

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {accept: 'application/json'};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET') headers['x-tamp-csrf'] = csrf;
  let response: Response;
  try {
    response = await fetch(`/api/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-cache', // the ETag decides
    });
  } catch (problem) {
    throw new Unreachable(String(problem));
  }
  const text = await response.text();
  let answer: unknown = null;
  try {
    answer = text === '' ? null : JSON.parse(text);
  } catch {
    throw new Refused(response.status, 'BadAnswer', `The server answered ${response.status} with something else than JSON.`);
  }
  if (!response.ok) {
    if (response.status === 401 && path !== 'session') ended();
    const said = (answer ?? {}) as {reason?: string; message?: string; detail?: unknown};
    throw new Refused(response.status, said.reason ?? '', said.message ?? `HTTP ${response.status}`, said.detail);
  }
  return answer as T;
}

const enc = encodeURIComponent;

function timed<T extends {decidedAt: string}>(answer: T): T {
  clusterTime(answer.decidedAt);
  return answer;
}

export const api = {
  onEnd: (action: () => void) => (ended = action),
  async session(): Promise<Session> {
    const session = await call<Session>('GET', 'session');
    csrf = session.csrf;
    return session;
  },
  async login(token: string): Promise<Session> {
    const session = await call<Session>('POST', 'session', {token});
    csrf = session.csrf;
    return session;
  },
  logout: () => call<null>('DELETE', 'session'),
  status: async () => timed(await call<Status>('GET', 'status')),
  overview: async () => timed(await call<Overview>('GET', 'overview')),
  nodes: () => call<NodeColumns>('GET', 'nodes'),
  node: (name: string) => call<Explanation>('GET', `nodes/${enc(name)}`),
  plan: async () => timed(await call<PlanAnswer>('GET', 'plan')),
  approve: (planHash: string, reason: string) => call<RunSummary>('POST', 'runs', {planHash, reason}),
  dismiss: (planHash: string, reason: string) => call<null>('POST', 'plan/dismissal', {planHash, reason}),
  runs: () => call<{runs: RunSummary[]}>('GET', 'runs'),
  run: async (name: string) => timed(await call<Run>('GET', `runs/${enc(name)}`)),
  abort: (name: string) => call<null>('POST', `runs/${enc(name)}/abort`, {}),
  audit: (name: string) => call<Audit>('GET', `runs/${enc(name)}/audit`),
  auditTrail: () => call<AuditTrail>('GET', 'audit'),
  pause: (paused: boolean) => call<null>('PUT', 'pause', {paused}),
  policy: () => call<Policy>('GET', 'policy'),
  whatIf: (change: WhatIf) => call<WhatIfAnswer>('POST', 'what-if', change),
};
