/** The runtime components that have releases (spec: Release downloads). */
export const COMPONENTS = ['engine', 'router', 'agent', 'memo'] as const;
export type Component = (typeof COMPONENTS)[number];
