package eval

// Bounds of what the expressions of a fabric may ask for. They are far above any real fabric and low enough that the worst
// input is refused in well under a second.
const (
	maxLoops     = 2         // for expressions inside each other
	MaxString    = 64 << 10  // bytes
	maxElements  = 100_000   // of one value, at any depth
	maxExponent  = 1024      // of numbers, in bits
	maxWork      = 1_000_000 // of all expressions; see budget
	instanceWork = 64        // further work for every instance of a block
	maxRange     = 4096
	maxArguments = 256 // of one function call, after expansion of a list
	maxCallWork  = 16 << 20

	maxSeen = 200_000 // names looked at in search of the one that was meant
)
