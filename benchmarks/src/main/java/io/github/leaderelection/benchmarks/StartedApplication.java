package io.github.leaderelection.benchmarks;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import io.github.leaderelection.LeaderOnly;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application that reports how long it took to start. It also starts without the
 * starter, and then without its annotation. It ends when its standard input does.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartedApplication {

	static final String PROXIED = "proxied";

	@Bean
	Job job() {
		return new Job();
	}

	/**
	 * Start, and then follow the commands on standard input.
	 * @param args the URI of MongoDB, the name of the database, and whether to take part
	 * in elections; or {@value #PROXIED}, to let Spring proxy the job
	 * @throws IOException if standard input can't be read
	 */
	public static void main(String[] args) throws IOException {
		long begun = System.nanoTime();
		ConfigurableApplicationContext context = start(args[0], args[1], args[2]);
		double millis = (System.nanoTime() - begun) / 1e6;
		PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		answers.println(millis);
		BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		String question;
		while ((question = questions.readLine()) != null) {
			if (question.equals("close")) {
				context.close();
				answers.println("closed");
			}
			else {
				begun = System.nanoTime();
				context = start(args[0], args[1], question);
				millis = (System.nanoTime() - begun) / 1e6;
				context.close();
				answers.println(millis);
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static ConfigurableApplicationContext start(String uri, String database, String enabled) {
		return new SpringApplicationBuilder(StartedApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.main.log-startup-info=false",
					"spring.application.name=started", "spring.mongodb.uri=" + uri,
					"spring.mongodb.database=" + database, "leader-election.enabled=" + !enabled.equals("false"),
					"started.proxied=" + enabled.equals(PROXIED))
			.run();
	}

	/**
	 * Adds a proxy, as applications have that use transactions, asynchronous methods or
	 * the like.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("started.proxied")
	static class Proxied {

		@Bean
		static BeanNameAutoProxyCreator proxies() {
			BeanNameAutoProxyCreator proxies = new BeanNameAutoProxyCreator();
			proxies.setBeanNames("job");
			proxies.setProxyTargetClass(true);
			proxies.setInterceptorNames("nothing");
			return proxies;
		}

		@Bean
		static MethodInterceptor nothing() {
			return MethodInvocation::proceed;
		}

	}

	/**
	 * The job of the leader.
	 */
	static class Job {

		@LeaderOnly("job")
		public void run() {
		}

	}

}
