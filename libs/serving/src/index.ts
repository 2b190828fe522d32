export { ANTHROPIC_VERSION, credentialHeaders } from './credential-headers';
export { baseUrlFault, isInPrivateNetwork } from './base-url';
export { CredentialSeal } from './credential-seal';
export { upstreamConnector } from './upstream-connector';
export {
  type ConfiguredDirectory,
  type ConfiguredModel,
  type ConfiguredUpstream,
  type Directory,
  type DirectoryModel,
  type DirectoryUpstream,
  fillDirectory,
  type FillMode,
  insertCredential,
  lockDirectory,
  parseDirectory,
  readDirectoryText,
  removeReport,
  REPORT_TTL_SECONDS,
  reportUpstreams,
  SERVING_CHANNEL,
} from './directory.repository';
export {
  EVERY_MODEL,
  GatewayReport,
  MODALITIES,
  type Modality,
  MODEL_STATES,
  type ModelState,
  OUTPUT_LIMIT_FIELDS,
  UPSTREAM_PROTOCOLS,
  type UpstreamProtocol,
  type OutputLimitField,
  ServedModel,
  SERVING_ENTITIES,
  StoredUpstream,
  UPSTREAM_STATES,
  UpstreamCredential,
  UpstreamModel,
  type UpstreamReport,
  type UpstreamState,
} from './serving.entity';
