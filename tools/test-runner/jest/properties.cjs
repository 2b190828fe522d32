/** Keys of the global object that a package has added while it was loaded. They stay, because it is loaded once. */
const keysOfPackages = new Set();

/**
 * Remembers the properties of an object.
 *
 * @param {object} object
 * @returns {() => void} makes the properties what they were; does nothing to those that cannot be configured
 */
function rememberProperties(object) {
  const before = Object.getOwnPropertyDescriptors(object);
  return () => {
    for (const key of Reflect.ownKeys(object))
      if (!Object.hasOwn(before, key) && !keysOfPackages.has(key)) Reflect.deleteProperty(object, key);
    for (const key of Reflect.ownKeys(before)) {
      const descriptor = Reflect.get(before, key);
      if (!isSame(Object.getOwnPropertyDescriptor(object, key), descriptor))
        Reflect.defineProperty(object, key, descriptor);
    }
  };
}

/** @param {PropertyDescriptor | undefined} one @param {PropertyDescriptor} other */
const isSame = (one, other) =>
  one !== undefined && Object.is(one.value, other.value) && one.get === other.get && one.set === other.set;

/** @template Result @param {() => Result} load @returns {Result} */
function keepGlobalsOf(load) {
  const before = new Set(Reflect.ownKeys(globalThis));
  try {
    return load();
  } finally {
    for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) keysOfPackages.add(key);
  }
}

module.exports = { rememberProperties, keepGlobalsOf };
