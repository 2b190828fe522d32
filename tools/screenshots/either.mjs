/** @param {string} english @param {string} chinese @returns {RegExp} a name in either language */
export const either = (english, chinese) => new RegExp(`^(${english}|${chinese})$`);
