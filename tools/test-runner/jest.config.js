module.exports = { displayName: 'test-runner', preset: '../../jest.preset.js' };
