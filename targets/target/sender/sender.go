// Package sender contains the senders of a host, which are the kinds of programs and functions that send RoCE packets. A [Marking] has the
// setting that brings the packets of a sender into the class of an intent, and a [Reach] the answer of a host.
package sender

// Code is the code of notes that name the senders without a default. verify leaves such a note out where it has answers.
const Code = "host-sender"

// Kind is a kind of origin of the RoCE packets of a host. It decides which setting brings packets into the class of an intent.
type Kind string

// The kinds.
const (
	CM        Kind = "rdma-cm"
	Verbs     Kind = "verbs"
	GPU       Kind = "gpu"
	VF        Kind = "vf"
	Container Kind = "container"
)

// Kinds are all kinds, in the order of tables and outputs.
var Kinds = []Kind{CM, Verbs, GPU, VF, Container}

// Title names the packets of a sender.
func (k Kind) Title() string {
	switch k {
	case CM:
		return "RDMA-CM"
	case Verbs:
		return "programs without RDMA-CM"
	case GPU:
		return "GPUs"
	case VF:
		return "virtual functions"
	}
	return "containers"
}

// Marking states, for the NICs of a driver, which setting brings the packets of a sender into the class of an intent. Its texts are parts
// of Markdown.
type Marking struct {
	Kind    Kind
	Setting string // the setting; for a sender that the driver does not have, the reason
	By      string // the program or person that sets it; empty: the driver has no such sender
	Read    string // where verify reads it back; empty: nowhere
	Unknown string // the values that stay not known, and the reason; empty: none
	Pairs   string // names the queue pairs that no default of the RDMA device reaches; empty: a default reaches them
	Source  string
}

// State states whether the packets of a sender are in the class of an intent.
type State string

// The states.
const (
	Holds   State = "holds"   // a value that was read brings them there
	Escapes State = "escapes" // a value that was read does not
	Unknown State = "unknown" // no value that was read decides it
)

// Facts returns the facts about an interface, in the order of the answers: pairs of a name and a value.
type Facts func(on string) [][2]string

// Reach is the answer about one sender of an intent on some NICs of a host.
type Reach struct {
	NICs     []string `json:"nics"`
	Intent   string   `json:"intent"`
	Sender   Kind     `json:"sender"`
	State    State    `json:"state"`
	Detail   string   `json:"detail"`             // the reason, in full sentences
	Settings []string `json:"settings,omitempty"` // the variables with which programs mark their packets
	Pod      []string `json:"pod,omitempty"`      // fields of the network of a pod, as in the configuration of its CNI plugin
}
