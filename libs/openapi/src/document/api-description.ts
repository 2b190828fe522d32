import { type Type } from '@nestjs/common';
import { type CredentialKind } from '@inference/guards';
import { type DocumentBuilder } from '@nestjs/swagger';

export type SecurityScheme = Parameters<DocumentBuilder['addSecurity']>[1];

/** What distinguishes the API document of one service from the others. */
export interface ApiDescription {
  title: string;
  /** Markdown. */
  description: string;
  /** Path of document and page: `<prefix>/openapi.json` and `<prefix>/docs`. Empty by default. */
  prefix?: string;
  /** Body of every error that has no other. */
  errorBody: Type;
  /** The kinds of credentials that routes without `@Accepts()` accept; none if the service has no credentials of the platform. */
  defaultKinds: CredentialKind[];
  /** How kinds are sent that only this service knows. */
  schemes?: Record<string, SecurityScheme>;
  /** Any operation may answer 429, and every answer has the headers of the limits. */
  isRateLimited?: boolean;
  /** Any operation may answer 429, to an address of which too many calls were refused. */
  limitsRefusals?: boolean;
  /** Operations refuse sessions of staff that must have a second factor and have none. */
  hasStaff?: boolean;
  /** Staff may read in the place of a customer, and do nothing else there. */
  hasAccountViews?: boolean;
  /** Operations need no database, so they do not answer 503. */
  hasNoDatabase?: boolean;
  /** The service leaves bodies unread, so no operation answers with the errors of a body. */
  readsNoBodies?: boolean;
  /** Groups of operations: the value of `@ApiTags` and what they are about. */
  tags: Record<string, string>;
}
