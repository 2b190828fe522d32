import { type Page, type Request } from 'playwright-core';

/** A part of a streamed answer. */
const STREAMED = /"content":("(?:[^"\\]|\\.)*")/g;

const NAME_FIELD = /name$|title$|device|place|providers$/;

/**
 * The texts that a tab exchanged with the services, without what is in answers of errors: names, descriptions, messages of
 * people and models. They are in the language in which they were written.
 */
export class ServedTexts {
  private readonly texts = new Set<string>();
  private readonly reading = new Set<Promise<void>>();

  constructor(tab: Page) {
    tab.on('requestfinished', (request) => {
      const sent = request.postData();
      if (sent?.startsWith('{')) this.collect(JSON.parse(sent));
      const reading = this.readAnswer(request).finally(() => this.reading.delete(reading));
      this.reading.add(reading);
    });
  }

  /** The text without the served ones. */
  async removeFrom(text: string): Promise<string> {
    await Promise.all(this.reading);
    const found = [...this.texts].filter((served) => text.includes(served));
    return found
      .sort((one, other) => other.length - one.length)
      .reduce((rest, served) => rest.replaceAll(served, ' '), text);
  }

  private async readAnswer(request: Request): Promise<void> {
    const response = await request.response().catch(() => null);
    if (!response?.ok()) return;
    const type = response.headers()['content-type'] ?? '';
    if (!/json|event-stream/.test(type)) return;
    const body = await response.text().catch(() => '');
    if (type.includes('json') && body !== '') this.collect(JSON.parse(body));
    if (type.includes('event-stream'))
      this.collect([...body.matchAll(STREAMED)].map(([, text]) => JSON.parse(text!) as string).join(''));
  }

  private collect(value: unknown, field = ''): void {
    if (typeof value === 'string') this.add(value, field);
    else if (Array.isArray(value)) value.forEach((item) => this.collect(item, field));
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) this.collect(item, name);
  }

  /** Single words count as names only: a page that shows `pending` as it was served has forgotten to translate it. */
  private add(text: string, field: string): void {
    const shown = text.trim();
    if (NAME_FIELD.test(field) || /[\s\d._@:/-]|\p{Script=Han}/u.test(shown))
      for (const line of [shown, ...shown.split('\n')]) if (line.trim() !== '') this.texts.add(line.trim());
  }
}
