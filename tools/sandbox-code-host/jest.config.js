module.exports = { displayName: 'sandbox-code-host', preset: '../../jest.preset.js' };
