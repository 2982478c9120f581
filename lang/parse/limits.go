package parse

// Bounds of the text of a fabric. They are far above any real fabric and low enough that the worst input is refused in well
// under a second.
const (
	MaxFile = 1 << 20 // bytes

	maxFiles  = 256
	maxTotal  = 32 << 20 // bytes of all files
	maxTokens = 200_000  // a file
	MaxDepth  = 64       // nested brackets, templates, conditionals, signs
	maxChain  = 128      // operators, dots and indexes of one expression at one depth
	maxPieces = 4096     // lines of a heredoc or pieces of a string, which hclsyntax joins in quadratic time
)
