import { ConfigError } from '@inference/config';
import { type ConsoleConfig, readConsoleConfig } from '../config';
import { testEnvironment } from './console.fixture';

/** A complete environment of the console. Nothing connects to its database. */
export const CONSOLE_ENVIRONMENT = testEnvironment('postgres://console@db.test/platform');

/** The configuration of the console with these variables changed. */
export const configWith = (changes: Record<string, string> = {}): ConsoleConfig =>
  readConsoleConfig({ ...CONSOLE_ENVIRONMENT, ...changes });

/** The messages of the ConfigError for these changes; none if the configuration is valid. */
export function configFaults(changes: Record<string, string>): string[] {
  try {
    configWith(changes);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

/** Expects that this value is the only fault, and that the message about it matches. */
export function expectRefusal(changes: Record<string, string>, name: string, message: string): void {
  const faults = configFaults(changes);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^${name}\\b.*${message}`));
}
