package target

// Claim is a statement of public documents that rocec relies on or leaves open, and a question to the device that shows whether it is true
// there. Answers go into a bundle that people send to others: ask for keys and numbers, never for a line that may hold a password, a note
// or a name.
type Claim struct {
	ID     string // kebab-case; it never changes: "nvue-roce-word"
	Says   string // the statement, in full sentences
	Source string // the place in the documents; or where they contradict each other, or are silent
	Query         // what shows it; several claims may have one

	// Own is set where the answer is read from a file or a setting that rocec writes on such devices. Where rocec has written, that answer
	// repeats the words of rocec and decides nothing.
	Own bool

	// Judge reports whether the answer confirms the statement. The answer is the output of the command with its errors, of [MostAnswer] bytes
	// at most. Judge is pure, and never fails, whatever the bytes.
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

// MostAnswer bounds the output of a claim's command that is kept, in bytes.
const MostAnswer = 8 << 10
