package eval

// Bounds of the work of a fabric's expressions. They are far above any real fabric and low enough that the worst input is refused in well
// under a second.
const (
	maxLoops     = 2        // for expressions inside each other
	MaxString    = 64 << 10 // bytes
	maxElements  = 100_000  // of one value, at any depth
	maxExponent  = 1024     // of numbers, in bits
	maxWork      = 500_000  // of all expressions; see budget
	instanceWork = 64       // work that each instance of a block has for itself, for each of its expressions
	blockWork    = 16       // of an instance that for_each makes
	maxRange     = 4096
	maxArguments = 256 // of one function call, after expansion of a list
	maxCallWork  = 16 << 20

	errorWork = 16     // of a mistake inside an expression: its message
	panicWork = 1000   // of a mistake that a function of cty panics about: a stack is written
	askEvery  = 10_000 // units between two looks at whether the load is still wanted

	maxSeen = 200_000 // names looked at in search of the one that was meant
)
