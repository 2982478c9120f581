package target

// Claim is a statement of public documents that rocec relies on or leaves open, and a question to the device that shows whether it is true
// there. Answers go into a bundle that people send to others. So a claim asks for keys and numbers, never for a line that may contain a
// password, a note or a name.
type Claim struct {
	ID     string // kebab-case, permanent: "nvue-roce-word"
	Says   string // the statement, in full sentences
	Source string // the place in the documents; or where they contradict each other, or say nothing
	Query         // the question that shows it; several claims may share one

	// Own is set if the answer comes from a file or a setting that rocec writes on such devices. After rocec has written, such an answer only
	// repeats rocec's words and proves nothing.
	Own bool

	// Judge reports whether the answer confirms the statement. The answer is the output of the command with its errors, at most [MostAnswer]
	// bytes. Judge is pure, and never fails for any bytes.
	Judge func(answer []byte) Verdict
}

// Verdict is the result of a [Claim] on a device.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	DoesNotHold Verdict = "does not hold"
	NotDecided  Verdict = "not decided"
	Echo        Verdict = "not decided: rocec wrote it" // of [Claim.Own]
)

// Decide returns a verdict if the answer is known, else [NotDecided].
func Decide(decided, holds bool) Verdict {
	switch {
	case !decided:
		return NotDecided
	case holds:
		return Holds
	}
	return DoesNotHold
}

// MostAnswer limits the kept output of a claim's command, in bytes.
const MostAnswer = 8 << 10
