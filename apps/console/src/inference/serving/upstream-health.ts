import { EVERY_MODEL, type ServedModel, type UpstreamReport } from '@inference/serving';
import { type ModelFiguresResponse } from './served-models.dto';
import { type UpstreamResponse, type UpstreamStateResponse } from './serving.dto';
import { type UpstreamParts } from './serving.repository';

/** What gateways report of a minute. */
type Minute = Pick<UpstreamReport, 'calls' | 'failures' | 'firstByteMs'>;

function minuteOf(reports: readonly Minute[]) {
  const sum = (read: (report: Minute) => number) =>
    reports.reduce((total, report) => total + read(report), 0);
  const answering = reports.filter(({ firstByteMs }) => firstByteMs !== null);
  const answers = answering.reduce((total, { calls }) => total + calls, 0);
  const waited = answering.reduce((total, { calls, firstByteMs }) => total + calls * firstByteMs!, 0);
  return {
    calls_per_minute: sum(({ calls }) => calls),
    failures_per_minute: sum(({ failures }) => failures),
    first_byte_ms: answers === 0 ? null : Math.round(waited / answers),
  };
}

/** How an upstream is. @param reports of it, each of a gateway */
export function healthOf(reports: readonly UpstreamReport[]): UpstreamResponse['health'] {
  const known = reports.filter(({ isUp }) => isUp !== null);
  return {
    gateways: reports.length,
    is_up: known.length === 0 ? null : known.every(({ isUp }) => isUp),
    running: reports.reduce((total, { running }) => total + running, 0),
    ...minuteOf(reports),
    open_models: [...new Set(reports.flatMap(({ openModels }) => openModels))].sort(),
  };
}

export const reportsOf = (id: string, reports: readonly UpstreamReport[][]): UpstreamReport[] =>
  reports.flatMap((report) => report.filter(({ upstreamId }) => upstreamId === id));

/** The figures of all models that are stored, named by an upstream or called, without retired ones. */
export function modelFigures(
  stored: readonly ServedModel[],
  upstreams: readonly UpstreamParts[],
  reports: readonly UpstreamReport[][],
): ModelFiguresResponse[] {
  const slugs = new Set([
    ...stored.map(({ slug }) => slug),
    ...upstreams.flatMap(({ models }) => models.map(({ model }) => model)),
    ...reports.flat().flatMap(({ models }) => models.map(({ model }) => model)),
  ]);
  slugs.delete(EVERY_MODEL);
  for (const { slug, state } of stored) if (state === 'retired') slugs.delete(slug);
  const states = upstreams.map((parts) => ({
    ...parts,
    health: healthOf(reportsOf(parts.upstream.id, reports)),
  }));
  return [...slugs].sort().map((slug) => {
    const having = states.flatMap(({ upstream, models, health }) => {
      const served =
        models.find(({ model }) => model === slug) ?? models.find(({ model }) => model === EVERY_MODEL);
      if (!served) return [];
      const isReady =
        upstream.state === 'active' &&
        served.weight > 0 &&
        health.is_up !== false &&
        !health.open_models.includes(slug);
      return { name: upstream.name, isReady };
    });
    const minutes = reports.flat().flatMap(({ models }) => models.filter(({ model }) => model === slug));
    return {
      slug,
      upstreams: having.filter(({ isReady }) => isReady).map(({ name }) => name),
      other_upstreams: having.filter(({ isReady }) => !isReady).map(({ name }) => name),
      ...minuteOf(minutes),
      output_tokens_per_minute: minutes.reduce((total, { outputTokens }) => total + outputTokens, 0),
    };
  });
}

/** How many upstreams are in each state, as the page of the site's health names it. */
export interface UpstreamCounts {
  up: number;
  down: number;
  /** Active, and no gateway has reported of it. */
  unknown: number;
  draining: number;
  off: number;
  /** Slugs of the models that no upstream answers, sorted. */
  modelsWithout: string[];
}

export function countsOf(
  upstreams: readonly Pick<UpstreamStateResponse, 'state' | 'is_up'>[],
  models: readonly Pick<ModelFiguresResponse, 'slug' | 'upstreams'>[],
): UpstreamCounts {
  const counts = { up: 0, down: 0, unknown: 0, draining: 0, off: 0 };
  for (const { state, is_up: isUp } of upstreams)
    counts[state === 'active' ? (isUp === null ? 'unknown' : isUp ? 'up' : 'down') : state] += 1;
  return {
    ...counts,
    modelsWithout: models.filter((model) => model.upstreams.length === 0).map(({ slug }) => slug),
  };
}
