// Scans along an axis of arrays.
//$ space
typedef $in$ I;
typedef $out$ R;

struct Space {
    unsigned long long rows;
    long long out_step, in_step;  // from element to element
    pycuda::arrays::WideDivisor axis[$size$];
    long long stride[2][$size$];
};
//$ to_row_along
//$     Moves the pointers along an axis of rows; what is left of the row's number is the place along the first.
    {
        $at_place$
        $out$ += at * $space$.stride[0][#];
        $in$ += at * $space$.stride[1][#];
    }
//$ place_along
const unsigned long long next = $space$.axis[#].divide(rest);
        const long long at = rest - next * $space$.axis[#].size;
        rest = next;
//+
