package teamqueue

import (
	"crypto/sha256"
	"slices"

	"github.com/rocec/rocec/cmd/internal/broker"
)

// Dropped counts the messages that changed nothing. A double of a statement that counts is none of them: hubs get doubles when they are
// rebuilt, and keep them.
type Dropped struct {
	Unsigned int // no allowed signer is known to have signed them
	Unfit    int // they are signed, and do not fit
}

// identity is the SHA-256 of the author and the text of a statement that was verified; the zero value is none.
type identity [sha256.Size]byte

func identityOf(author, text string) identity { return sha256.Sum256([]byte(author + "\n" + text)) }

// judged counts a message. A statement can come before what it needs, and once more after that, as when a hub is rebuilt. Then it counts,
// and the first message is the double.
func (q *Queue) judged(m *broker.Message, id identity, why error) {
	switch {
	case why == nil:
		q.counted[id] = true
		q.Dropped.Unfit -= q.unfit[id]
		delete(q.unfit, id)
		q.Rejected = slices.DeleteFunc(q.Rejected, func(r Rejected) bool { return r.of == id })
		return
	case q.counted[id]:
		return
	case id == identity{}:
		q.Dropped.Unsigned++
	default:
		q.Dropped.Unfit++
		q.unfit[id]++
	}
	q.Rejected = append(q.Rejected, Rejected{m.Number, m.Filter(), why.Error(), id})
	q.Rejected = q.Rejected[max(0, len(q.Rejected)-mostRejected):]
}
