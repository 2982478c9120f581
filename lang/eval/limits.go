package eval

// Bounds of the work of a fabric's expressions. They are far above any real fabric and low enough that the worst input is refused in well
// under a second.
const (
	maxLoops     = 2        // nested for expressions
	MaxString    = 64 << 10 // bytes
	maxElements  = 100_000  // elements of one value, at any depth
	maxExponent  = 1024     // exponent of a number, in bits
	maxWork      = 500_000  // work of all expressions; see budget
	instanceWork = 64       // free work of each instance of a block, for each of its expressions
	blockWork    = 16       // work of making an instance by for_each
	maxRange     = 4096
	maxArguments = 256 // arguments of one function call, after expansion of a list
	maxCallWork  = 16 << 20

	errorWork = 16     // work of the message about a mistake inside an expression
	panicWork = 1000   // work of a panic in a function of cty, which writes a stack trace
	askEvery  = 10_000 // units between two checks of whether the load was cancelled

	maxSeen = 200_000 // names that are compared to find the meant one
)
