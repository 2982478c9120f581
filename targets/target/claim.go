package target

// Claim is a statement of public documents that rocec relies on or leaves open, and a question to the device that shows whether it is so
// there. What a claim asks for goes into a bundle that people send to others: ask for keys and numbers, and for no line that may hold a
// password, a note or a name.
type Claim struct {
	ID     string // kebab-case; it never changes: "nvue-roce-word"
	Says   string // the statement, in full sentences
	Source string // the place in the documents; or where they contradict each other, or are silent
	Query         // what shows it; several claims may have one

	// Own is set where the answer is read from a file or a setting that rocec writes on such devices. Where rocec has written, that answer
	// repeats the words of rocec and decides nothing.
	Own bool

	// Judge says whether the answer bears the statement out: what the command printed, with its errors, of [MostAnswer] bytes at most. It is
	// pure, and never fails, whatever the bytes.
	Judge func(answer []byte) Verdict
}

// Verdict is what became of a [Claim] on a device.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	DoesNotHold Verdict = "does not hold"
	NotDecided  Verdict = "not decided"
	Echo        Verdict = "not decided: rocec wrote it" // of [Claim.Own]
)

// Decide is a verdict where there is something to judge by, else [NotDecided].
func Decide(decided, holds bool) Verdict {
	switch {
	case !decided:
		return NotDecided
	case holds:
		return Holds
	}
	return DoesNotHold
}

// MostAnswer is how much of what a claim's command prints is kept, in bytes.
const MostAnswer = 8 << 10
