package sonic

// chip contains the facts of SONiC's sources about a chip.
type chip struct {
	family string // the chip's name in the allow-list of patches; empty: the allow-list has no switch with the chip
	alpha  int    // a lossless priority group may fill 2^alpha of the free pool; unknown for chips without a template
	pools  pools
	source string
}

// pools is how the templates of a chip divide its memory.
type pools int

const (
	noTemplate pools = iota
	onePool          // for all arriving traffic
	twoPools         // one for lossless traffic, and an equal one for the rest
)

// chips has one entry per chip name. Sources: "lists" is generic_config_updater/gcu_field_operation_validators.conf.json of
// sonic-utilities, which lists chips by their hwskus. "lookup" is the threshold column of pg_profile_lookup.ini, and "pools" is
// BUFFER_POOL of the buffer templates, both in device/ of sonic-buildimage, August 2026. Where the hwskus of a chip differ, alpha is the
// smallest.
var chips = map[string]chip{
	"trident2":     {family: "td2", alpha: -3, pools: onePool, source: "lists; lookup of Force10-S6000 (Arista-7050-QX32: 2^-1); pools"},
	"trident3":     {family: "td3", alpha: -3, pools: onePool, source: "lists; lookup of DellEMC-S5232f-C32 (Arista-7050CX3: 2^0); pools"},
	"tomahawk":     {family: "th", alpha: -3, pools: onePool, source: "lists; lookup of Force10-Z9100-C32 (Force10-S6100: 2^0); pools"},
	"tomahawkplus": {alpha: 0, pools: onePool, source: "lookup and pools of Arista-7060CX2-32S-C32, which are Tomahawk's"},
	"tomahawk2":    {family: "th2", alpha: -3, pools: onePool, source: "lists; lookup of DellEMC-Z9264f-C64 (Arista-7260CX3-C64: 2^0); pools"},
	"tomahawk3":    {family: "th3", alpha: -2, pools: onePool, source: "lists; lookup and pools of DellEMC-Z9332f-O32"},
	"tomahawk4":    {family: "th4", alpha: 0, pools: onePool, source: "lists; lookup and pools of DellEMC-Z9664f-O64"},
	"tomahawk5":    {family: "th5", alpha: 0, pools: onePool, source: "lists; lookup and pools of Dell-Z9864f-O64"},
	"tomahawk6":    {alpha: 0, pools: onePool, source: "lookup and pools of NH-4210-F-P128"},

	"spectrum":         {family: "spc1", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN2700"},
	"spectrum2":        {family: "spc2", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN3700"},
	"spectrum2gearbox": {family: "spc2", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN3800"},
	"spectrum3":        {family: "spc3", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-MSN4700"},
	"spectrum4":        {family: "spc4", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-SN5600"},
	"spectrum5":        {family: "spc5", alpha: 0, pools: onePool, source: "lists; lookup and pools of Mellanox-SN5640-C512S2"},
	"spectrum6":        {family: "spc6", alpha: 0, pools: twoPools, source: "lists; lookup and pools of ACS-SN6600_LD"},
}
