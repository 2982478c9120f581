package teamqueue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// recordHead is the first line of a record. The data of the message follows, without another encoding: a plan can be as large as a message.
type recordHead struct {
	Number uint64      `json:"number"`
	At     time.Time   `json:"at"`
	Kind   broker.Kind `json:"kind"`
	Run    string      `json:"run,omitempty"`
}

// Record returns the body of a record: a message of a person with the number and the time that it had. A hub that has lost its store gets
// records. The statements of persons keep their numbers in them, because sites have worked by these numbers.
func Record(m *broker.Message) ([]byte, error) {
	head, err := json.Marshal(recordHead{m.Number, m.At, m.Kind, m.Run})
	return append(append(head, '\n'), m.Data...), err
}

// OpenRecord returns the message that a record has. The site signs that it has seen the message with its number and time; the person has
// signed the message itself. find judges the key of the site.
func OpenRecord(m *broker.Message, find func(*sshsig.Signature) (author string, err error)) (*broker.Message, error) {
	var signed statement.Signed
	if err := json.Unmarshal(m.Data, &signed); err != nil {
		return nil, errors.New("it is no signed statement")
	}
	st, _, err := signed.OpenBy(find)
	if err != nil {
		return nil, err
	}
	var head recordHead
	first, data, found := bytes.Cut(signed.Body, []byte("\n"))
	switch {
	case st.Verb != statement.Recorded:
		return nil, fmt.Errorf("a statement %q is no record", st.Verb)
	case st.Fabric != m.Fabric || st.Site != m.Site:
		return nil, fmt.Errorf("the record is of the site %s for the fabric %s, and its subject is another one", st.Site, st.Fabric)
	case !found || json.Unmarshal(first, &head) != nil:
		return nil, errors.New("the record has no message")
	case head.Kind != broker.Submit && head.Kind != broker.Say || head.Number == 0 || head.Number >= m.Number:
		return nil, errors.New("the record is not of an earlier message of a person")
	}
	of := &broker.Message{Number: head.Number, At: head.At, Data: data}
	of.Kind, of.Fabric, of.Run = head.Kind, st.Fabric, head.Run
	return of, nil
}
