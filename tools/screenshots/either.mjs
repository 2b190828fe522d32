/**
 * @import { Page } from 'playwright-core'
 *
 * @typedef {object} Picture
 * @property {string} name of the file
 * @property {string} path of the page
 * @property {boolean} [isPublic] whether a visitor sees it; others are taken by the demo account
 * @property {boolean} [byAdmin] taken by the admin
 * @property {(tab: Page) => Promise<unknown>} [act] brings the page into the state of the picture, in either language
 */

/** @param {string} english @param {string} chinese @returns {RegExp} a name in either language */
export const either = (english, chinese) => new RegExp(`^(${english}|${chinese})$`);
