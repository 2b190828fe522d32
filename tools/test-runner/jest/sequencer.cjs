const Sequencer = require('@jest/test-sequencer').default;

/** Builds images and runs a whole site on hosts of their own. */
const LONGEST = /hosts\.endurance-spec\.ts$/;

/** @param {{ path: string }} test */
const rank = ({ path }) => (LONGEST.test(path) ? 0 : 1);

/** Starts the longest proof first, so that the other workers do not wait for it at the end. */
module.exports = class LongestFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<Sequencer['sort']>[0]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted].sort((one, other) => rank(one) - rank(other));
  }
};
