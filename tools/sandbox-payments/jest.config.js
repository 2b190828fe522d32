module.exports = { displayName: 'sandbox-payments', preset: '../../jest.preset.js' };
