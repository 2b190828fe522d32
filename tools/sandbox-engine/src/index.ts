export { type SandboxEngine, type SandboxEngineOptions, startSandboxEngine } from './server';
export type { ServedFigures } from './served-counters';
