package ir

// Field names a value of [Settings]. Each column of a grammar has the field that a row of a configuration sets.
type Field uint8

// The fields. NoField is for a row that sets no field.
const (
	NoField Field = iota
	FieldTrust
	FieldDSCP // the cos of a DSCP
	FieldPCP
	FieldDefaultCos // the cos of packets without a trusted field
	FieldQueue      // the queue of a cos
	FieldGroup      // the priority group that buffers a cos
	FieldPauses
	FieldLinkPause
	FieldAsymmetricPFC
	FieldRewrite
	FieldShaper
	FieldWatchdog
	FieldSpeed
	FieldCable
	FieldMTU
	FieldBuffer
	FieldXoff
	FieldXon
	FieldHeadroom
	FieldGroupLimit
	FieldGroupPool
	FieldStrict
	FieldShare
	FieldMinRate
	FieldMaxRate
	FieldMarking
	FieldUnmarkable
	FieldDrop
	FieldQueueLimit
	FieldQueuePool
	FieldPool
	FieldSystem
	FieldPreset
	FieldStamps
	FieldVLANMap // the PCP that a NIC gives the packets of a VLAN
	fields       // the number of fields
)

var fieldNames = [fields]string{
	NoField: "nothing", FieldTrust: "trust", FieldDSCP: "DSCP to cos", FieldPCP: "PCP to cos", FieldDefaultCos: "default cos",
	FieldQueue: "cos to queue",
	FieldGroup: "cos to priority group", FieldPauses: "PFC", FieldLinkPause: "link pause", FieldAsymmetricPFC: "asymmetric PFC",
	FieldRewrite: "rewrite", FieldShaper: "shaper", FieldWatchdog: "PFC watchdog", FieldSpeed: "speed", FieldCable: "cable length",
	FieldMTU: "MTU", FieldBuffer: "buffer", FieldXoff: "xoff", FieldXon: "xon", FieldHeadroom: "headroom",
	FieldGroupLimit: "limit of a priority group", FieldGroupPool: "pool of a priority group", FieldStrict: "strict priority",
	FieldShare: "share", FieldMinRate: "least rate", FieldMaxRate: "greatest rate", FieldMarking: "ECN marking",
	FieldUnmarkable: "packets that ask for no marks", FieldDrop: "WRED drops", FieldQueueLimit: "limit of a queue",
	FieldQueuePool: "pool of a queue", FieldPool: "pool", FieldSystem: "system", FieldPreset: "preset", FieldStamps: "DSCP of a NIC",
	FieldVLANMap: "PCP of a NIC",
}

// String names the field.
func (f Field) String() string { return fieldNames[min(f, fields-1)] }

// Fields lists all fields, without NoField.
func Fields() []Field {
	out := make([]Field, 0, fields-1)
	for f := NoField + 1; f < fields; f++ {
		out = append(out, f)
	}
	return out
}
