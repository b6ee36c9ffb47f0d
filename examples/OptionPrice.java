import static org.pycuda.DType.FLOAT32;

import org.pycuda.Autoinit;
import org.pycuda.CuRandom;
import org.pycuda.ElementwiseKernel;
import org.pycuda.GPUArray;
import org.pycuda.MRG32k3aRandomNumberGenerator;

/**
 * Price a call option by the Monte Carlo method, as the mean payoff over many random futures. Prints the price and
 * its standard error; the Black-Scholes formula gives 7.128. The same program as option_price.py.
 */
public class OptionPrice {
    public static void main(String[] args) {
        final int n = 1 << 20;
        final double price = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
        Autoinit.init();
        CuRandom.seed(2026);
        var chance = new MRG32k3aRandomNumberGenerator().genNormal(FLOAT32, n);

        var pay = new ElementwiseKernel("const float *chance, float *payment, float price, float strike, float drift, float spread",
            "payment[i] = fmaxf(price * expf(drift + spread * chance[i]) - strike, 0)");
        var payment = GPUArray.emptyLike(chance);
        pay.call(chance, payment, price, strike, (rate - volatility * volatility / 2) * years, volatility * Math.sqrt(years));
        payment.mulInPlace(Math.exp(-rate * years));  // discounted to today

        double mean = payment.mean().getDouble();
        double error = Math.sqrt(payment.sub(mean).pow(2).mean().getDouble() / n);
        System.out.printf("Monte Carlo, standard error %.3f: %.3f%n", error, mean);
    }
}
