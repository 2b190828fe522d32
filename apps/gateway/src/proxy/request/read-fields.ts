import { fieldNamesOf } from '@inference/dto';
import { ENTRIES, type NameTree, UniqueNames } from '@inference/http';
import { AUDIO_SOURCES, CONTENT_FIELDS, IMAGE_SOURCES } from './content-part';
import { ChatCompletionRequest, CompletionRequest } from './proxy-request.dto';

/** Fields that determine admission and billing. */
export const BINDING_FIELDS = new Set([
  ...fieldNamesOf(ChatCompletionRequest),
  ...fieldNamesOf(CompletionRequest),
  'prompt',
  'input',
]);

/** Fields whose content is counted if the upstream reports no usage. */
const COUNTED_FIELDS = ['tools', 'functions', 'documents', 'response_format'];

const named = (...names: string[]): NameTree => Object.fromEntries(names.map((name) => [name, {}]));

const MEDIA = named(...CONTENT_FIELDS, 'detail', 'format');
const PART: NameTree = {
  ...named('type', 'text', 'refusal', 'detail', 'uuid'),
  ...Object.fromEntries([...IMAGE_SOURCES, ...AUDIO_SOURCES].map((name) => [name, MEDIA])),
  video_url: named('url'),
  file: named('file_data', 'file_id'),
};
const MESSAGE: NameTree = {
  ...named(
    'role',
    'name',
    'reasoning_content',
    'reasoning',
    'refusal',
    'tool_calls',
    'function_call',
    'audio',
  ),
  content: { [ENTRIES]: PART },
};

/** The tree of READ_FIELDS. */
export const READ_TREE: NameTree = {
  ...named(...BINDING_FIELDS, ...COUNTED_FIELDS),
  stream_options: named('include_usage'),
  messages: { [ENTRIES]: MESSAGE },
};

/**
 * All that the gateway reads of a request by its name. Servers differ in which one of two equal names they take, so each of these may be
 * given once: what the gateway admits and bills is what is served. They are listed in docs/guides/gateway.md.
 */
export const READ_FIELDS = new UniqueNames(READ_TREE);
