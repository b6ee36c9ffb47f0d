// Scans along an axis of an array: every row along this axis is scanned on its own.
//$ space
typedef $in$ I;
typedef $out$ R;

struct Space {
    unsigned long long rows;
    long long out_step, in_step;  // bytes between elements of a row
    pycuda::arrays::WideDivisor axis[$size$];
    long long stride[2][$size$];
};
//$ to_row_along
//$     Advance the pointers along one of the axes over rows. What remains of the row's number in the end is the index along the first axis.
    {
        $at_coordinate$
        $out$ += at * $space$.stride[0][#];
        $in$ += at * $space$.stride[1][#];
    }
//$ coordinate_along
const unsigned long long next = $space$.axis[#].divide(rest);
        const long long at = rest - next * $space$.axis[#].size;
        rest = next;
//+
