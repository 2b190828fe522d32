import {
  booleanAt,
  childOf,
  choiceAt,
  type Fields,
  isGiven,
  listAt,
  nameAt,
  objectAt,
  refuse,
  refuseOthers,
  textAt,
} from '../fields';

/** Tools of a request for a chat server. */
export interface ChatTools {
  chat: Fields;
  /** Names of the tools that take a text instead of arguments. */
  custom: ReadonlySet<string>;
  /** Tools that were left out. */
  ignored: string[];
  /** Whether a server of the protocol would run one of those. */
  hasServerTools: boolean;
}

const FUNCTION = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'defer_loading',
  'output_schema',
]);
const PLAIN_TEXT = new Set(['type']);
const GRAMMAR = new Set(['type', 'syntax', 'definition']);
const CUSTOM = new Set(['type', 'name', 'description', 'format', 'defer_loading']);
/** Coding agents send these to every model and do without them: tools that they run themselves, and searches of the server. */
const NAMESPACE = 'namespace';
const SEARCH = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
const SHOWN_NAME_CHARS = 64;

/** Reads `tools`, `tool_choice` and `parallel_tool_calls`. */
export function readTools(body: Fields): ChatTools {
  const functions = new Map<string, Fields>();
  const custom = new Set<string>();
  const ignored: string[] = [];
  let hasServerTools = false;
  const tools = isGiven(body.tools) ? listAt(body.tools, 'tools') : [];
  for (const [i, entry] of tools.entries()) {
    const path = childOf('tools', i);
    const tool = objectAt(entry, path);
    const type = textAt(tool.type, childOf(path, 'type'));
    // Only with a tool that searches for others.
    if (booleanAt(tool.defer_loading, childOf(path, 'defer_loading')))
      refuse(
        childOf(path, 'defer_loading'),
        'must not be true: the server of this model cannot load tools later',
      );
    // Tells what a tool returns, which chat servers do not know.
    if (isGiven(tool.output_schema)) ignored.push(`${path}.output_schema`);
    if (type === 'function') functions.set(newNameOf(tool, path, functions), functionOf(tool, path));
    else if (type === 'custom') {
      functions.set(newNameOf(tool, path, functions), customOf(tool, path));
      custom.add(tool.name as string);
    } else if (type === NAMESPACE || SEARCH.test(type)) {
      ignored.push(`${path} (${type})`);
      hasServerTools ||= type !== NAMESPACE;
    } else
      refuse(
        childOf(path, 'type'),
        `${type.slice(0, SHOWN_NAME_CHARS)} cannot be run by the server of this model`,
      );
  }
  const isParallel = booleanAt(body.parallel_tool_calls, 'parallel_tool_calls');
  const choice = isGiven(body.tool_choice) ? choiceOf(body.tool_choice, functions) : undefined;
  if (functions.size === 0) {
    if (isGiven(choice) && choice !== 'auto' && choice !== 'none')
      refuse('tool_choice', 'must not demand a tool if there are none');
    // Servers refuse a choice without tools.
    return { chat: {}, custom, ignored, hasServerTools };
  }
  const chat: Fields = { tools: [...functions.values()] };
  if (choice !== undefined) chat.tool_choice = choice;
  if (isParallel !== undefined) chat.parallel_tool_calls = isParallel;
  return { chat, custom, ignored, hasServerTools };
}

/** Refuses a repeated name: a call could mean either tool. */
function newNameOf(tool: Fields, path: string, functions: ReadonlyMap<string, Fields>): string {
  const name = nameAt(tool.name, childOf(path, 'name'));
  if (functions.has(name))
    refuse(childOf(path, 'name'), `repeats the name ${name.slice(0, SHOWN_NAME_CHARS)} of another tool`);
  return name;
}

function functionOf(tool: Fields, path: string): Fields {
  refuseOthers(tool, path, FUNCTION);
  const { name, description, parameters, strict } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...(isGiven(description) && { description: textAt(description, childOf(path, 'description')) }),
      ...(isGiven(parameters) && { parameters: objectAt(parameters, childOf(path, 'parameters')) }),
      ...(isGiven(strict) && { strict: booleanAt(strict, childOf(path, 'strict')) }),
    },
  };
}

/** A tool that takes a text is a function with one argument; chat servers know no grammar, so it is told in the description. */
function customOf(tool: Fields, path: string): Fields {
  refuseOthers(tool, path, CUSTOM);
  const descriptions = isGiven(tool.description)
    ? [textAt(tool.description, childOf(path, 'description'))]
    : [];
  if (isGiven(tool.format)) {
    const inner = childOf(path, 'format');
    const format = objectAt(tool.format, inner);
    const type = choiceAt(format.type, childOf(inner, 'type'), ['text', 'grammar']);
    refuseOthers(format, inner, type === 'grammar' ? GRAMMAR : PLAIN_TEXT);
    if (type === 'grammar') {
      const syntax = textAt(format.syntax, childOf(inner, 'syntax'));
      const definition = textAt(format.definition, childOf(inner, 'definition'));
      descriptions.push(`The input follows this grammar (${syntax}):\n${definition}`);
    }
  }
  const input = { type: 'string', description: 'The input of the tool, as it is.' };
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(descriptions.length > 0 && { description: descriptions.join('\n\n') }),
      parameters: { type: 'object', properties: { input }, required: ['input'], additionalProperties: false },
    },
  };
}

/** The choice in chat completions; takes the tools away that are not allowed. */
function choiceOf(given: unknown, functions: Map<string, Fields>): unknown {
  if (typeof given === 'string') return choiceAt(given, 'tool_choice', ['auto', 'none', 'required']);
  const choice = objectAt(given, 'tool_choice');
  const type = choiceAt(choice.type, 'tool_choice.type', ['function', 'custom', 'allowed_tools']);
  if (type !== 'allowed_tools') return chosen(nameOfTool(choice, 'tool_choice', functions));
  const allowed = new Set(
    listAt(choice.tools, 'tool_choice.tools').map((tool, i) => {
      const path = childOf('tool_choice.tools', i);
      return nameOfTool(objectAt(tool, path), path, functions);
    }),
  );
  for (const name of functions.keys()) if (!allowed.has(name)) functions.delete(name);
  return choiceAt(choice.mode, 'tool_choice.mode', ['auto', 'required']);
}

const chosen = (name: string): Fields => ({ type: 'function', function: { name } });

function nameOfTool(tool: Fields, path: string, functions: Map<string, Fields>): string {
  const name = nameAt(tool.name, childOf(path, 'name'));
  return functions.has(name) ? name : refuse(childOf(path, 'name'), 'must be the name of one of the tools');
}
